// Package churn moves the scores of a made-up board as players would, tick by tick: the
// ground that estimates are tried on. It knows nothing of curves or stores, and the same
// seed gives the same scores.
package churn
