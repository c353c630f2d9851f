package dynamo_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

func TestTableLifeCycle(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	name := tableName()
	var seen []dynamo.Progress
	table := dynamo.NewTable(admin, name, dynamo.PollEvery(5*time.Millisecond), dynamo.OnProgress(func(p dynamo.Progress) { seen = append(seen, p) }))
	_, err := table.Describe(bg)
	says(t, err, store.ErrNoTable, name, "rankcurve table create")
	_, err = table.Sync(bg, []string{"xp"})
	says(t, err, store.ErrNoTable, name)
	says(t, table.Delete(bg), store.ErrNoTable, name)

	warnings, err := table.Create(bg, []string{"xp", "old", "xp"})
	if err != nil {
		t.Fatal(err)
	}
	if seen[0].What != "table "+name || seen[len(seen)-1].Status != "ACTIVE" {
		t.Errorf("progress %+v, want it until the table is ACTIVE", seen)
	}
	for _, what := range []string{"expiry", "point-in-time recovery"} { // dynalite has neither
		if !slices.ContainsFunc(warnings, func(w string) bool {
			return strings.HasPrefix(w, what) && strings.Contains(w, "this endpoint does not have it")
		}) {
			t.Errorf("no warning about %s in %q", what, warnings)
		}
	}
	_, err = table.Create(bg, []string{"xp"})
	says(t, err, store.ErrInUse, name, "rankcurve table sync")

	done, err := table.Sync(bg, []string{"xp"})
	if err != nil || done.Added != nil || !slices.Equal(done.Stale, []string{"by_old"}) || done.Wrong != nil || len(done.Warnings) != 2 {
		t.Errorf("sync did %+v, %v", done, err)
	}
	wantDescription(t, table, name)
	if err := table.Delete(bg); err != nil {
		t.Fatal(err)
	}
	_, err = table.Describe(bg)
	says(t, err, store.ErrNoTable)
}

func wantDescription(t *testing.T, table *dynamo.Table, name string) {
	t.Helper()
	d, err := table.Describe(bg)
	if err != nil || d.Name != name || d.Status != "ACTIVE" || d.Billing != "PAY_PER_REQUEST" || d.Fault != nil || d.Keys != "HASH o (S), RANGE b (S)" {
		t.Errorf("description %+v, %v", d, err)
	}
	columns := make([]string, 0, len(d.Indexes))
	for _, i := range d.Indexes {
		columns = append(columns, i.Column)
		if i.Status != "ACTIVE" || i.Fault != "" || i.Name != dynamo.IndexName(i.Column) {
			t.Errorf("index %+v", i)
		}
	}
	slices.Sort(columns)
	if !slices.Equal(columns, []string{"old", "xp"}) {
		t.Errorf("indexes of %v", columns)
	}
	if d.Expiry != "off" || d.Recovery != "this endpoint does not have it" {
		t.Errorf("expiry %q, recovery %q", d.Expiry, d.Recovery)
	}
}

func TestAnIndexThatHoldsMoreThanKeysIsWide(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	there, err := admin.DescribeTable(bg, &dynamodb.DescribeTableInput{TableName: aws.String(newTable(t, admin, "xp"))})
	if err != nil {
		t.Fatal(err)
	}
	for text, projection := range map[string]*types.Projection{
		"":             nil, // a stand-in that does not say
		"KEYS_ONLY":    {ProjectionType: types.ProjectionTypeKeysOnly},
		"ALL":          {ProjectionType: types.ProjectionTypeAll},
		"INCLUDE d, u": {ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"d", "u"}},
	} {
		there.Table.GlobalSecondaryIndexes[0].Projection = projection
		table := dynamo.NewTable(&growing{TableAPI: admin, table: *there.Table}, *there.Table.TableName)
		d, err := table.Describe(bg)
		done, syncErr := table.Sync(bg, []string{"xp"})
		if err != nil || syncErr != nil {
			t.Fatal(err, syncErr)
		}
		wide := text == "ALL" || text == "INCLUDE d, u"
		if i := d.Indexes[0]; i.Projection != text || i.Wide() != wide || len(done.Wide) > 0 != wide || len(done.Wrong) > 0 || len(done.Added) > 0 {
			t.Errorf("%q: described as %+v, synced as %+v", text, i, done)
		}
	}
}

// growing is a table that takes indexes, as DynamoDB does and dynalite does not: one
// at a time, refusing while it is busy, active after some looks.
type growing struct {
	dynamo.TableAPI
	table   types.TableDescription
	looks   int
	refused int
	made    []string
}

func (g *growing) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	if g.looks++; g.looks%4 == 0 {
		for i := range g.table.GlobalSecondaryIndexes {
			g.table.GlobalSecondaryIndexes[i].IndexStatus = types.IndexStatusActive
		}
	}
	copied := g.table
	copied.GlobalSecondaryIndexes = slices.Clone(g.table.GlobalSecondaryIndexes)
	return &dynamodb.DescribeTableOutput{Table: &copied}, nil
}

func (g *growing) UpdateTable(_ context.Context, in *dynamodb.UpdateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	if g.refused++; g.refused == 1 {
		return nil, &types.ResourceInUseException{Message: aws.String("Attempt to change a resource which is still in use")}
	}
	create := in.GlobalSecondaryIndexUpdates[0].Create
	g.made = append(g.made, *create.IndexName)
	g.table.GlobalSecondaryIndexes = append(g.table.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
		IndexName: create.IndexName, KeySchema: create.KeySchema, IndexStatus: types.IndexStatusCreating,
	})
	return &dynamodb.UpdateTableOutput{TableDescription: &g.table}, nil
}

func TestSyncAddsOneIndexAfterTheOther(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	there, err := admin.DescribeTable(bg, &dynamodb.DescribeTableInput{TableName: aws.String(newTable(t, admin, "xp"))})
	if err != nil {
		t.Fatal(err)
	}
	g := &growing{TableAPI: admin, table: *there.Table}
	var seen []dynamo.Progress
	table := dynamo.NewTable(g, *there.Table.TableName, dynamo.PollEvery(time.Millisecond), dynamo.OnProgress(func(p dynamo.Progress) { seen = append(seen, p) }))
	done, err := table.Sync(bg, []string{"time", "xp", "laps"})
	if want := []string{"by_laps", "by_time"}; err != nil || !slices.Equal(done.Added, want) || !slices.Equal(g.made, want) {
		t.Fatalf("sync did %+v and made %v, %v; want %v", done, g.made, err, want)
	}
	if last := seen[len(seen)-1]; last.What != "index by_time" || last.Status != "ACTIVE" {
		t.Errorf("the last progress is %+v", last)
	}
	if !slices.ContainsFunc(seen, func(p dynamo.Progress) bool { return p.What == "index by_laps" && p.Status == "CREATING" }) {
		t.Errorf("nothing is told of the time that by_laps took: %+v", seen)
	}
}

func TestSyncWhereNoIndexCanBeAdded(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	_, err := dynamo.NewTable(admin, newTable(t, admin), dynamo.PollEvery(time.Millisecond)).Sync(bg, []string{"xp", "time"})
	if err == nil {
		t.Skip("this endpoint can")
	}
	says(t, err, store.ErrInvalid, "by_time", "`rankcurve table create --column time --column xp`")
}
