// Package predictor is the score -> rank curve: how it is built from what a
// refresh saw, how sure it is, how it is asked, and how it is written down.
//
// It is pure: no context, clock, log or I/O. Keys are int64 with "larger is
// better" (store.Column turns scores into keys), ranks are counts of entries
// strictly better, and floats appear inside interpolation only.
//
// A [Curve] is a monotone piecewise-linear function key -> better, the number of
// entries whose key is strictly larger. The best entries of the board are held
// exactly, step by step; the rest is fitted in a corridor (see corridor.go)
// whose width is as small as the byte budget allows. Points may be estimates, and may
// come with a forecast for one horizon later: the curve then is asked at an age, moves
// on to the forecast, and grows less sure.
//
// All of a Curve's methods are safe for concurrent use: a curve never changes.
package predictor
