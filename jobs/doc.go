// Package jobs is what a worker does: it refreshes curves. A refresh takes the
// lease of one column of a board, walks the column's partitions, builds the
// curve and publishes it with the next generation.
package jobs
