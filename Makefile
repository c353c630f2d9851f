SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
FUZZTIME ?= 10
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Tests that lack a server or a dataset skip. A skip would hide a broken path, so
# it is a failure here: of the servers always, of the datasets where there are any.
comma        := ,
TEST_REQUIRE := dynamodb,memcached,promtool$(if $(wildcard ../shared/data),$(comma)data)

.PHONY: help
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9_-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/rankcurve
	go build -ldflags "-X main.version=$(VERSION)" -o bin/rankcurve ./cmd/rankcurve

.PHONY: test
test: servers ## Run every test, with nothing skipped
	RANKCURVE_TEST_REQUIRE=$(TEST_REQUIRE) go test -count=1 -timeout 10m ./...

.PHONY: servers
servers: ## Install what the tests run against: memcached, a DynamoDB and promtool
	@.ci/servers

.PHONY: race
race: servers ## Run the tests under the race detector (-short: without the accuracy table, which is arithmetic)
	go test -race -short -count=1 -timeout 15m ./...

.PHONY: lint
lint: ## Run golangci-lint at the pinned version
	go run $(GOLANGCI) run ./...

.PHONY: format
format: ## Format all Go files as lint wants them
	go run $(GOLANGCI) fmt ./...

.PHONY: fuzz
fuzz: ## Run the fuzz seeds, then each target for FUZZTIME seconds (10)
	go test -run '^Fuzz' -count=1 ./...
	@grep -rEo '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' --exclude-dir=bench . | \
	while IFS=: read -r file target; do \
	  echo "== $$(dirname "$$file") $${target#func }"; \
	  go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime "$(FUZZTIME)s" -fuzzminimizetime 10x "$$(dirname "$$file")" </dev/null; \
	done

.PHONY: bench
bench: ## Run every benchmark
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: accuracy
accuracy: ## Print the accuracy table (minutes)
	go test ./jobs -run TestAccuracyTable -v -count=1 -timeout 20m

.PHONY: simulate
simulate: ## Hold estimates under churn to what is promised, and write docs/estimation.md (5 to 15 minutes)
	go test -tags promises ./cmd/rankcurve/internal/simulation -run TestPromisesUnderChurn -v -count=1 -parallel 2 -timeout 3h

.PHONY: scale
scale: ## Refresh a computed board of a billion entries, and print its errors
	go test ./jobs -run TestBillion -v -count=1 -timeout 30m

.PHONY: soak
soak: servers ## Simulate a day of 200 boards on three workers that are killed, on a store that fails (10 minutes)
	RANKCURVE_TEST_SOAK=1 RANKCURVE_TEST_REQUIRE=memcached go test ./jobs -run TestWorkersSurviveADay -v -count=1 -timeout 60m

KILLS ?= 200

.PHONY: kills
kills: servers ## Kill KILLS (200) refreshes on each store at random points, and look at what is left (20 minutes)
	RANKCURVE_TEST_KILLS=$(KILLS) RANKCURVE_TEST_REQUIRE=dynamodb go test ./cmd/rankcurve -run TestBinaryKilledRefreshes -v -count=1 -timeout 60m

.PHONY: generate
generate: ## Generate code anew (needs protoc and protoc-gen-go)
	go generate ./...

.PHONY: e2e
e2e: ## Run the built binary end to end
	go test ./cmd/rankcurve -run TestBinary -count=1 -v

.PHONY: clean
clean: ## Remove what the targets above made
	rm -rf bin cover.out
	go clean -testcache
