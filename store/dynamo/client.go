package dynamo

import (
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// idleConns is how many connections to DynamoDB are kept, for a walk of many
// shards at once and for PutAll. Go's own default of two would open a TLS
// connection for nearly every request.
const idleConns = 256

// NewClient makes the SDK's client as a [Store] wants it: a connection pool as
// wide as the work, and short waits for a connection.
func NewClient(cfg aws.Config, opts ...func(*dynamodb.Options)) *dynamodb.Client {
	pool := awshttp.NewBuildableClient().
		WithTransportOptions(func(t *http.Transport) {
			t.MaxIdleConns = idleConns
			t.MaxIdleConnsPerHost = idleConns
			t.IdleConnTimeout = 90 * time.Second
			t.TLSHandshakeTimeout = 5 * time.Second
		}).
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = 3 * time.Second })
	cfg.HTTPClient = pool
	return dynamodb.NewFromConfig(cfg, opts...)
}

// once switches the SDK's retries off: ours see each attempt, and so which writes
// may have been carried out though their answers were lost.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
