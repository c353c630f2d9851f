// Package rankcurve answers "what is my rank?" for leaderboards kept in DynamoDB
// or in one local file, without counting everyone above the player.
//
// A refresh samples the write-sharded partitions of a board and fits a score ->
// rank curve of a few kilobytes. An app server reads the curve once and answers
// in nanoseconds, from the player's score alone, with an error bar and an age.
// The top of a board is always exact.
//
// A rank is one plus the number of entries strictly better, so that equal scores
// share one ("1224"). A score is an int64 in units of 10^-decimals of its column:
// exact, summable, and without the trap at 2^53.
//
// # Use
//
// [New] registers a board in a store and opens it, [Open] opens one that is there.
// The [Board] is kept for the life of the process and shared by its goroutines:
//
//   - [Board.Post] and [Board.PostAll] submit scores, once each however often they
//     are sent;
//   - [Board.Top] reads the best n, exactly;
//   - [Board.Rank] and [Board.RankOfScore] answer where owners and scores stand:
//     estimated, counted, or as [Auto] chooses;
//   - [Board.ScoreAtRank] and [Board.ScoreAtPercent] ask the curve backwards;
//   - [Board.Around], [Board.Page], [Board.Owners] and [BoardsOf] read a piece of a board,
//     all of it, some owners and all boards of one;
//   - [Board.At] and [Board.History] answer from the curves that were kept;
//   - [Board.Hide], [Board.Unhide] and [Board.Remove] moderate.
//
// Boards that run for a month, a week or a day are those of a family: [NewFamily]
// makes one, and [Family.Post] posts to all of its boards at once.
//
// Curves are made by package jobs or by the command rankcurve; a Board asks the
// store for a newer one every few seconds. What each call costs is written on it, in
// DynamoDB's read and write units, and reported in its Usage, whatever the store.
//
// # Errors
//
// Those of package store, and these, are found with errors.Is. Their messages say what to
// run:
//
//   - [ErrNoCurve], [ErrBadCurve] and [ErrStaleCurve]: what is asked needs a curve;
//   - [ErrBadCursor]: a page cannot be read on;
//   - [ErrLate]: a post is for a period that has ended;
//   - [ErrForgotten]: a post that may be stored, and is not to be sent again unseen.
//
// A post whose outcome is not known is [store.ErrUnknown]; with an ID, and but for
// ErrForgotten, it is sent again until it is known. [FanOutError] is a post to a family
// that did not reach all of its boards, and a [store.UnreadableError] names the rows that
// cannot be read back.
package rankcurve
