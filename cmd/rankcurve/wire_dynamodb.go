package main

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
)

// How a question is asked: somebody waits for the answer.
const (
	askAttempts = 3
	askTimeout  = 2 * time.Second
)

const (
	credentialsTimeout = 10 * time.Second       // a machine's role is asked for over the network
	localPoll          = 100 * time.Millisecond // a local server makes a table at once
)

// localRegion is for signatures that a server in DynamoDB's place does not check.
const localRegion = "us-east-1"

// openDynamoDB opens the table with a client, and so a connection pool, of its own:
// what refreshes do never stands in the way of questions.
func openDynamoDB(ctx context.Context, cfg config.DynamoDB, a access) (store.Store, error) {
	client, err := dynamoClient(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var opts []dynamo.Option
	if !a.patient {
		opts = append(opts, dynamo.Attempts(askAttempts), dynamo.Timeout(askTimeout))
	}
	if a.onThrottle != nil {
		opts = append(opts, dynamo.OnThrottle(a.onThrottle))
	}
	if a.onList != nil {
		opts = append(opts, dynamo.OnList(a.onList))
	}
	api := &describedTable{Client: client}
	st, err := dynamo.Open(ctx, api, cfg.Table, opts...)
	if err != nil {
		return nil, dynamoFault(err, cfg, client)
	}
	if a.pace.Max <= 0 {
		return st, nil
	}
	walked, err := dynamo.Open(ctx, api, cfg.Table, append(opts, dynamo.ShowThrottles(), dynamo.Attempts(1))...) // the pacer tries again
	if err != nil {
		return nil, errors.Join(dynamoFault(err, cfg, client), st.Close())
	}
	return refreshStore{st, walked}, nil
}

// dynamoClient makes the SDK's client, after a look at what it will need.
func dynamoClient(ctx context.Context, cfg config.DynamoDB) (*dynamodb.Client, error) {
	local := isLoopback(cfg.Endpoint)
	opts := []func(*awsconfig.LoadOptions) error{
		awsconfig.WithRegion(cfg.Region),
		awsconfig.WithLogger(logging.Nop{}), // its warnings are about requests that were given up on purpose
	}
	if local { // has no use for the machine's role, and asking for it takes seconds
		opts = append(opts, awsconfig.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	sdk, err := awsconfig.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return nil, usagef("read the AWS configuration: %v; correct AWS_PROFILE or ~/.aws/config", err)
	}
	if sdk.Region == "" && cfg.Endpoint != "" {
		sdk.Region = localRegion
	}
	if sdk.Region == "" {
		return nil, usagef("no AWS region is set; set store.dynamodb.region, --region or AWS_REGION, such as eu-west-1")
	}
	bounded, cancel := context.WithTimeout(ctx, credentialsTimeout)
	defer cancel()
	if _, err := sdk.Credentials.Retrieve(bounded); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case local:
			return nil, usagef("no AWS credentials are set; for a local endpoint such as %s any will do: export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local", cfg.Endpoint)
		}
		return nil, usagef("no AWS credentials were found: %v; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and try `aws sts get-caller-identity`", innermost(err))
	}
	return dynamo.NewClient(sdk, func(o *dynamodb.Options) {
		if cfg.Endpoint != "" {
			o.BaseEndpoint = &cfg.Endpoint
		}
	}), nil
}

// dynamoTable names the table for the commands that make and change it.
func dynamoTable(ctx context.Context, cfg config.DynamoDB, say func(dynamo.Progress)) (*dynamo.Table, *dynamodb.Client, error) {
	client, err := dynamoClient(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	opts := []dynamo.TableOption{dynamo.OnProgress(say)}
	if isLoopback(cfg.Endpoint) {
		opts = append(opts, dynamo.PollEvery(localPoll))
	}
	return dynamo.NewTable(client, cfg.Table, opts...), client, nil
}

// dynamoFault adds where it was looked to an error that may come from looking in
// the wrong place.
func dynamoFault(err error, cfg config.DynamoDB, client *dynamodb.Client) error {
	switch {
	case errors.Is(err, store.ErrNoTable):
		return hintf(err, "it was looked for %s; --table, --region and --endpoint name others", tablePlace(cfg, client))
	case errors.Is(err, store.ErrUnavailable) && cfg.Endpoint != "":
		return hintf(err, "is a server running at %s? --endpoint names another", cfg.Endpoint)
	}
	return err
}

// tablePlace is where a table is, "in eu-west-1" or "at" an endpoint.
func tablePlace(cfg config.DynamoDB, client *dynamodb.Client) string {
	if cfg.Endpoint != "" {
		return "at " + cfg.Endpoint
	}
	return "in " + client.Options().Region
}

func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func innermost(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}
