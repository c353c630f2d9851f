package main

import (
	"math"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
)

// A boardPlan is a plan in JSON. Errors are parts of the rank.
type boardPlan struct {
	Board        string            `json:"board,omitempty"`
	Column       string            `json:"column,omitempty"`
	Entries      int64             `json:"entries"`
	EntryBytes   float64           `json:"entry_bytes"`
	Writes       float64           `json:"writes_per_second"`
	EverySeconds float64           `json:"every_seconds"`
	Churn        float64           `json:"churn"`
	Probe        *planProbe        `json:"probe,omitempty"`
	Shards       planShards        `json:"shards"`
	Top          planTop           `json:"top"`
	Refresh      planRefresh       `json:"refresh"`
	Errors       []planError       `json:"errors"`
	Alternatives []planAlternative `json:"alternatives"`
}

// A planProbe is what was found of a live board, and what that took.
type planProbe struct {
	Shards           int     `json:"shards"`
	ReadUnits        float64 `json:"read_units"`
	Requests         int     `json:"requests"`
	LastRefreshUnits float64 `json:"last_refresh_read_units"`
	DensityFromCurve bool    `json:"density_from_curve"`
	Estimated        bool    `json:"entries_estimated"` // by one shard of several
}

type planShards struct {
	Chosen         int     `json:"chosen"`
	ForWrites      int     `json:"for_writes"`
	ForFullWalk    *int    `json:"for_full_walk"` // null: no number suffices
	WritesPerShard float64 `json:"writes_per_shard"`
	Asked          bool    `json:"asked"` // the number was given
}

type planTop struct {
	N            int     `json:"n"`
	RowsPerShard int     `json:"rows_per_shard"`
	Rows         int     `json:"rows"`
	ReadUnits    float64 `json:"read_units"`
	Requests     int     `json:"requests"`
	OneRound     float64 `json:"one_round_at_least"`
}

type planRefresh struct {
	Method          string  `json:"method"`
	Walked          int     `json:"walked"`
	Rotation        int     `json:"rotation"`
	ReadUnits       float64 `json:"read_units"`
	TableReadUnits  float64 `json:"table_read_units"`
	WriteUnits      float64 `json:"write_units"`
	Requests        int     `json:"requests"`
	Seconds         float64 `json:"seconds"`
	PaceUnits       float64 `json:"pace_units"`
	ReadUnitsMonth  float64 `json:"read_units_month"`
	WriteUnitsMonth float64 `json:"write_units_month"`
	DollarsMonth    float64 `json:"dollars_month"`
	FullWalkMonth   float64 `json:"full_walk_dollars_month"`
}

type planError struct {
	Rank            int64   `json:"rank"`
	Typical         float64 `json:"typical"`
	Within95        float64 `json:"within_95"`
	Within95Old     float64 `json:"within_95_before_next"`
	CrossingsAnHour float64 `json:"crossings_per_hour"`
	Read            bool    `json:"read"` // its row is read at each refresh
}

type planAlternative struct {
	Name         string   `json:"name"`
	Queries      *float64 `json:"queries_per_second,omitempty"`
	Rank         int64    `json:"rank,omitempty"`
	UnitsEach    float64  `json:"read_units_each,omitempty"`
	Gigabytes    float64  `json:"gigabytes,omitempty"`
	DollarsMonth float64  `json:"dollars_month"`
}

func boardPlanOf(c plan.Choice, w plan.Wishes, top int, queries float64) boardPlan {
	b := c.Board
	row := boardPlan{
		Entries: b.Entries, EntryBytes: b.EntryBytes, Writes: w.Writes, EverySeconds: b.Every.Seconds(), Churn: b.Churn,
		Shards:  planShards{Chosen: b.Shards, ForWrites: plan.ShardsForWrites(w.Writes), WritesPerShard: plan.WritesPerShard, Asked: w.Shards > 0},
		Refresh: planRefreshOf(c, w),
	}
	if k, ok := b.ShardsForWalk(); ok {
		row.Shards.ForFullWalk = &k
	}
	rows := store.ShardShare(top, b.Shards)
	row.Top = planTop{
		N: top, RowsPerShard: rows, Rows: rows * b.Shards, Requests: b.Shards,
		ReadUnits: float64(b.Shards) * store.IndexReadUnits(int(math.Ceil(float64(rows)*b.EntryBytes))), OneRound: plan.OneRound(top, b.Shards, rows),
	}
	for _, e := range c.Errors {
		rank := float64(e.Rank)
		row.Errors = append(row.Errors, planError{
			Rank: e.Rank, Typical: plan.Median * e.Fresh() / rank, Within95: plan.NinetyFive * e.Fresh() / rank,
			Read:        b.Reads(e.Rank, c.Walked),
			Within95Old: plan.NinetyFive * e.Oldest() / rank, CrossingsAnHour: b.Crossings(rank) * 3600 / b.Every.Seconds(),
		})
	}
	row.Alternatives = alternatives(c, w, queries)
	return row
}

func planRefreshOf(c plan.Choice, w plan.Wishes) planRefresh {
	method := c.Cost.Method
	if c.Walked < c.Board.Shards {
		method = sampler.Rolling
	}
	return planRefresh{
		Method: string(method), Walked: c.Walked, Rotation: c.Rotation(),
		ReadUnits: c.Cost.ReadUnits, TableReadUnits: c.Cost.TableReads, WriteUnits: c.Cost.WriteUnits, Requests: c.Cost.Requests, Seconds: c.Cost.Seconds,
		PaceUnits: c.Board.Walk.Pace.Max, ReadUnitsMonth: c.Monthly.ReadUnits, WriteUnitsMonth: c.Monthly.WriteUnits, DollarsMonth: c.Monthly.Dollars,
		FullWalkMonth: c.Board.Monthly(c.Board.Refresh(c.Board.Shards), w.Prices).Dollars,
	}
}

// alternatives are what else would answer as many ranks, the average one in the middle of
// the board.
func alternatives(c plan.Choice, w plan.Wishes, queries float64) []planAlternative {
	b := c.Board
	middle := max(1, b.Entries/2)
	gigabytes, ram := b.RAMMonth(w.Prices)
	return []planAlternative{
		{Name: "this plan", Queries: &queries, UnitsEach: 0.5, DollarsMonth: c.Monthly.Dollars + plan.OwnRowMonth(queries, w.Prices)},
		{Name: "full walk each time", Queries: &queries, UnitsEach: 0.5, DollarsMonth: b.Monthly(b.Refresh(b.Shards), w.Prices).Dollars + plan.OwnRowMonth(queries, w.Prices)},
		{Name: "count each rank", Queries: &queries, Rank: middle, UnitsEach: b.CountUnits(middle), DollarsMonth: b.CountMonth(queries, middle, w.Prices)},
		{Name: "sorted set in RAM", Gigabytes: gigabytes, DollarsMonth: ram},
	}
}
