package main

import "slices"

// nearest is the candidate that a misspelt word was most likely meant to be.
func nearest(word string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int {
		return distance(word, a) - distance(word, b)
	})
}

// distance is Levenshtein's: the fewest characters to insert, drop or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
