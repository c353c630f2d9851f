package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/rankcurve/rankcurve/store"
)

// Failure is an error whose text is for a person. Behind it are one of store's
// errors and the SDK's own, for errors.Is and errors.As.
type failure struct {
	text  string
	kind  error
	cause error
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return []error{f.kind, f.cause} }

// Target is what a request is about, for the words of its error.
type target struct {
	table string
	index string // of a Query
}

// explain turns an error of the SDK into one of store's.
func (t target) explain(err error) error {
	text, kind := t.kindOf(err)
	if kind == nil {
		return err
	}
	return &failure{text: text, kind: kind, cause: err}
}

var deniedCodes = []string{
	"AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException",
	"MissingAuthenticationTokenException", "MissingAuthenticationToken", "IncompleteSignatureException", "InvalidClientTokenId", "NotAuthorized",
}

func (t target) kindOf(err error) (text string, kind error) {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return t.kindOfTransport(err)
	}
	code, message := api.ErrorCode(), api.ErrorMessage()
	switch {
	case code == "ConditionalCheckFailedException":
		return "condition of the write: " + store.ErrConflict.Error(), store.ErrConflict
	case isThrottle(code):
		return fmt.Sprintf("table %s: %s (%s)", t.table, store.ErrThrottled, throttleReason(err, code, message)), store.ErrThrottled
	case code == "ResourceNotFoundException":
		return fmt.Sprintf("there is no table %s in this region and account: `rankcurve table create` makes it (%s)", t.table, message), store.ErrNoTable
	case code == "ValidationException" && t.index != "":
		return fmt.Sprintf("index %s of table %s is missing or has another shape: `rankcurve table describe` shows it, `rankcurve table sync` makes a missing one (%s)", t.index, t.table, message), store.ErrNoTable
	case code == "ValidationException" && strings.Contains(strings.ToLower(message), "type mismatch for index key"):
		return fmt.Sprintf("an index of table %s wants another type than ours: `rankcurve table describe` shows which; delete it, then `rankcurve table sync` makes it anew (%s)", t.table, message), store.ErrNoTable
	case code == "ValidationException":
		return fmt.Sprintf("table %s refuses it: %s: %s", t.table, message, store.ErrInvalid), store.ErrInvalid
	case isOfClock(code, message):
		return fmt.Sprintf("table %s: %s: this machine's clock is wrong, and requests are signed with its time: %s; `timedatectl` shows whether NTP sets it, `timedatectl set-ntp true` makes it", t.table, store.ErrDenied, message), store.ErrDenied
	case slices.Contains(deniedCodes, code):
		return fmt.Sprintf("table %s: %s: %s: %s; `aws sts get-caller-identity` shows whose credentials these are", t.table, store.ErrDenied, code, message), store.ErrDenied
	case statusOf(err) >= 500:
		return fmt.Sprintf("table %s: %s: %s: %s", t.table, store.ErrUnavailable, code, message), store.ErrUnavailable
	}
	return "", nil
}

// isOfClock tells a signature that is refused for its time from one that does not fit.
func isOfClock(code, message string) bool {
	return code == "RequestTimeTooSkewed" || strings.HasPrefix(message, "Signature expired") || strings.HasPrefix(message, "Signature not yet current")
}

// kindOfTransport is for errors that are no answer of the service.
func (t target) kindOfTransport(err error) (text string, kind error) {
	var host *net.DNSError
	switch {
	case isSetup(err, "get identity", "credentials"):
		return fmt.Sprintf("no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (%v)", innermost(err)), store.ErrDenied
	case isSetup(err, "resolve auth scheme", "resolve endpoint", "Missing Region"):
		return fmt.Sprintf("no endpoint for DynamoDB: set store.dynamodb.region or AWS_REGION (%v)", innermost(err)), store.ErrInvalid
	case errors.As(err, &host):
		return fmt.Sprintf("table %s: %s: there is no host %s; check store.dynamodb.region and endpoint", t.table, store.ErrUnavailable, host.Name), store.ErrUnavailable
	}
	return fmt.Sprintf("table %s: %s: %v", t.table, store.ErrUnavailable, reason(err)), store.ErrUnavailable
}

// isSetup tells errors that no further attempt can mend. The SDK has no types for
// them.
func isSetup(err error, phrases ...string) bool {
	var sent *smithy.OperationError
	if !errors.As(err, &sent) || statusOf(err) != 0 {
		return false
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return false
	}
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(err.Error(), p) })
}

var errNoAnswer = errors.New("no answer in time")

// reason is the part of an error of the line that a person wants: with the
// address, without the SDK's layers.
func reason(err error) error {
	var network *net.OpError
	var request *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errNoAnswer
	case errors.As(err, &network):
		return network
	case errors.As(err, &request):
		return request.Err
	}
	return innermost(err)
}

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func statusOf(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

func isThrottle(code string) bool {
	_, ok := retry.DefaultThrottleErrorCodes[code]
	return ok && code != "LimitExceededException" // of tables: too many changes at once
}

// throttleCause is the first reason for a throttle, else the error's code.
func throttleCause(err error) string {
	for _, r := range throttlingReasons(err) {
		if r.Reason != nil {
			return *r.Reason
		}
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return "unknown"
}

func throttlingReasons(err error) []types.ThrottlingReason {
	var provisioned *types.ProvisionedThroughputExceededException
	var throttling *types.ThrottlingException
	var requests *types.RequestLimitExceeded
	switch {
	case errors.As(err, &provisioned):
		return provisioned.ThrottlingReasons
	case errors.As(err, &throttling):
		return throttling.ThrottlingReasons
	case errors.As(err, &requests):
		return requests.ThrottlingReasons
	}
	return nil
}

// throttleReason says which limit of which table or index was met.
func throttleReason(err error, code, message string) string {
	reasons := throttlingReasons(err)
	if len(reasons) == 0 {
		return code + ": " + message
	}
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = deref(r.Reason) + " of " + deref(r.Resource)
	}
	return strings.Join(parts, ", ")
}

// verdict is what to do about a failed attempt.
type verdict struct {
	retry    bool
	throttle bool
	unsure   bool // a write may have been carried out
}

func judge(err error) verdict {
	var api smithy.APIError
	var network *net.OpError
	isAPI := errors.As(err, &api)
	switch {
	case isAPI && isThrottle(api.ErrorCode()):
		return verdict{retry: true, throttle: true}
	case isAPI && api.ErrorCode() == "TransactionConflictException":
		return verdict{retry: true}
	case statusOf(err) >= 500:
		return verdict{retry: true, unsure: true}
	case isAPI && signsAnew(err):
		return verdict{retry: true}
	case isAPI:
		_, again := retry.DefaultRetryableErrorCodes[api.ErrorCode()]
		return verdict{retry: again, unsure: again}
	case isSetup(err, "get identity", "credentials", "resolve auth scheme", "resolve endpoint", "Missing Region"):
		return verdict{}
	case errors.As(err, &network) && network.Op == "dial":
		return verdict{retry: true}
	case errors.Is(err, context.Canceled):
		return verdict{unsure: true}
	}
	return verdict{retry: true, unsure: true} // cut, late, truncated, wrong checksum
}

// signsAnew says that the SDK has seen by the answer's date that our clock is wrong: it signs
// the next attempt with DynamoDB's time.
func signsAnew(err error) bool {
	var marked interface{ RetryableError() bool }
	return errors.As(err, &marked) && marked.RetryableError()
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
