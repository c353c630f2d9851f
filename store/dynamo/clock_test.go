package dynamo_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// skewed opens a store on an endpoint whose clock can be set.
func skewed(t *testing.T, ahead time.Duration) (*dynamo.Store, *faults.Proxy) {
	t.Helper()
	endpoint := servers.DynamoDB(t)
	table := newTable(t, client(endpoint), "xp")
	proxy := faults.New(t, endpoint, func(faults.Request) faults.Fault { return faults.None })
	proxy.SetClock(ahead)
	return open(t, client(proxy.URL), table), proxy
}

// tells asks until the skew is as it is wanted: an answer that was slow tells none.
func tells(t *testing.T, s *dynamo.Store, want time.Duration) {
	t.Helper()
	var ahead time.Duration
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if _, err := s.Boards(bg); err != nil {
			t.Fatal(err)
		}
		skew, known := store.SkewOf(s)
		if known && (skew-want).Abs() <= 6*time.Second { // two answers may be 3 s off
			return
		}
		ahead = skew
	}
	t.Errorf("our clock is %s ahead, want %s", ahead, want)
}

// The dates of answers tell how far our clock is off, and that it was set.
func TestTheClockIsComparedWithTheAnswers(t *testing.T) {
	s, proxy := skewed(t, 2*time.Minute)
	for _, ahead := range []time.Duration{2 * time.Minute, -40 * time.Second, 0} {
		proxy.SetClock(ahead)
		tells(t, s, -ahead)
	}
}

// A clock that is so wrong that its signatures are refused does no harm: the answer has
// the time, and the next attempt is signed with that.
func TestAClockThatIsFarOffIsSignedAround(t *testing.T) {
	for _, ahead := range []time.Duration{20 * time.Minute, -20 * time.Minute} {
		s, proxy := skewed(t, ahead)
		tells(t, s, -ahead)
		if err := s.CreateBoard(bg, board(1)); err != nil {
			t.Error(err)
		}
		proxy.SetClock(0) // NTP has set it
		if _, err := s.Put(bg, board(1), ann(1)); err != nil {
			t.Error(err)
		}
		tells(t, s, 0)
	}
}

// Answers jitter by the second and by what the network takes: the skew stays as it was.
func TestTheSkewDoesNotGoToAndFro(t *testing.T) {
	s, proxy := skewed(t, time.Minute)
	tells(t, s, -time.Minute)
	first, _ := s.Skew()
	proxy.SetClock(time.Minute + 500*time.Millisecond)
	for range 5 {
		if _, err := s.Boards(bg); err != nil {
			t.Fatal(err)
		}
	}
	if now, _ := s.Skew(); now != first && (now-first).Abs() < 3*time.Second {
		t.Errorf("it was %s and is %s", first, now)
	}
}

func TestNoSkewIsKnownWithoutADate(t *testing.T) {
	if ahead, known := store.SkewOf(open(t, undated{}, "scores")); known {
		t.Errorf("known to be %s ahead", ahead)
	}
}

// undated is a client whose answers come over no network.
type undated struct{ dynamo.API }

func (undated) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return &dynamodb.DescribeTableOutput{Table: &types.TableDescription{
		KeySchema:            keys("o", "b"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("o"), AttributeType: "S"}, {AttributeName: aws.String("b"), AttributeType: "S"}},
	}}, nil
}

// A refusal that stays names what is wrong: the clock, and not the credentials.
func TestARefusalForTheTimeNamesTheClock(t *testing.T) {
	for code, message := range map[string]string{
		"InvalidSignatureException": "Signature expired: 20261121T091000Z is now earlier than 20261121T093000Z (20261121T093500Z - 5 min.)",
		"SignatureDoesNotMatch":     "Signature not yet current: 20261121T095000Z is still later than 20261121T094000Z (20261121T093500Z + 5 min.)",
		"RequestTimeTooSkewed":      "The difference between the request time and the current time is too large.",
	} {
		_, err := dynamo.Open(bg, refusing{err: &smithy.GenericAPIError{Code: code, Message: message}}, "scores")
		says(t, err, store.ErrDenied, "scores", "clock", message, "timedatectl")
	}
	wrong := &smithy.GenericAPIError{Code: "InvalidSignatureException", Message: "The request signature we calculated does not match the signature you provided."}
	_, err := dynamo.Open(bg, refusing{err: wrong}, "scores")
	says(t, err, store.ErrDenied, "aws sts get-caller-identity")
}
