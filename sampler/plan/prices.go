package plan

import "math"

// Prices are in dollars.
type Prices struct {
	ReadUnitMillion  float64
	WriteUnitMillion float64
	RAMGBMonth       float64
}

// MonthSeconds are those of the month that the bills of AWS are estimated by: 730 hours.
const MonthSeconds = 730 * 3600

// refreshesAMonth is how often a board is refreshed in a month.
func (b Board) refreshesAMonth() float64 { return MonthSeconds / b.Every.Seconds() }

// Monthly is what a cost comes to in a month of refreshes.
type Monthly struct {
	ReadUnits  float64
	WriteUnits float64
	Dollars    float64
}

// Monthly is a cost a month, at the board's interval.
func (b Board) Monthly(c Cost, p Prices) Monthly {
	n := b.refreshesAMonth()
	m := Monthly{ReadUnits: n * (c.ReadUnits + c.TableReads), WriteUnits: n * c.WriteUnits}
	m.Dollars = p.reads(m.ReadUnits) + m.WriteUnits*p.WriteUnitMillion/1e6
	return m
}

func (p Prices) reads(units float64) float64 { return units * p.ReadUnitMillion / 1e6 }

// CountUnits is what one rank costs that is counted, in read units: a COUNT of all better
// entries in every shard.
func (b Board) CountUnits(rank int64) float64 {
	var r reads
	r.add(b.Shards, float64(rank)/float64(b.Shards), b.EntryBytes)
	return r.units
}

// CountMonth is the price of a month of ranks that are counted, so many a second at an
// average depth.
func (b Board) CountMonth(queries float64, rank int64, p Prices) float64 {
	return p.reads(queries * MonthSeconds * b.CountUnits(rank))
}

// OwnRowMonth is the price of a month of ranks from the curve, so many a second, where
// the owner's row is read for the score: half a unit each.
func OwnRowMonth(queries float64, p Prices) float64 { return p.reads(queries * MonthSeconds / 2) }

// RAMBytes is what an entry takes in a Redis sorted set, measured.
const RAMBytes = 142

// RAMMonth is the price of the RAM that a sorted set of all entries takes, without
// replicas and without room to grow, in GB and dollars a month.
func (b Board) RAMMonth(p Prices) (gigabytes, dollars float64) {
	gigabytes = float64(b.Entries) * RAMBytes / math.Pow(2, 30)
	return gigabytes, gigabytes * p.RAMGBMonth
}
