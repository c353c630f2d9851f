package faults

import (
	"fmt"
	"net/http"
	"time"
)

const (
	signedAt = "20060102T150405Z" // as X-Amz-Date has it
	validFor = 5 * time.Minute
)

// SetClock sets the clock of the endpoint ahead of the machine's, or back if it is
// negative: its answers are dated by it, and a request that was signed more than five
// minutes away from it is refused, as DynamoDB does. To the client its own clock is wrong.
func (p *Proxy) SetClock(ahead time.Duration) { p.ahead.Store(int64(ahead)) }

// date dates an answer, and refuses a request with a signature of another time. Where the
// clock is the machine's, the endpoint dates its own.
func (p *Proxy) date(w http.ResponseWriter, r *http.Request) (refused bool) {
	ahead := time.Duration(p.ahead.Load())
	if ahead == 0 {
		return false
	}
	now := time.Now().Add(ahead).UTC()
	w.Header().Set("Date", now.Format(http.TimeFormat))
	signed, err := time.Parse(signedAt, r.Header.Get("X-Amz-Date"))
	if err != nil || now.Sub(signed).Abs() <= validFor {
		return false
	}
	text := "Signature expired: %s is now earlier than %s (%s - 5 min.)"
	bound := now.Add(-validFor)
	if signed.After(now) {
		text, bound = "Signature not yet current: %s is still later than %s (%s + 5 min.)", now.Add(validFor)
	}
	message := fmt.Sprintf(text, signed.Format(signedAt), bound.Format(signedAt), now.Format(signedAt))
	answer(w, http.StatusBadRequest, "InvalidSignatureException", fmt.Sprintf(`"message":%q`, message))
	return true
}
