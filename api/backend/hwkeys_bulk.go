package backend

// BulkAnswer is what became of each token of a bulk change.
type BulkAnswer struct {
	Results []BulkResult `json:"results" nullable:"false" doc:"in the order of serials"`
}

// BulkResult is what became of one token.
type BulkResult struct {
	Serial string         `json:"serial"`
	Result string         `json:"result" enum:"updated,unchanged,failed"`
	Code   string         `json:"code,omitempty" doc:"when it failed: the code that a PATCH would answer"`
	Detail string         `json:"detail,omitempty"`
	Params map[string]any `json:"params,omitempty" nullable:"false" doc:"when it failed: what a translation of the detail needs"`
	Errors []InputError   `json:"errors,omitempty" nullable:"false" doc:"when it failed: the fields that are wrong"`
}

// ImportAnswer is what an import did, or as a dry run would do.
type ImportAnswer struct {
	DryRun    bool        `json:"dry_run"`
	Created   int         `json:"created"`
	Unchanged int         `json:"unchanged"`
	Failed    int         `json:"failed"`
	Rows      []ImportRow `json:"rows" nullable:"false" doc:"in the file's order"`
}

// InputError is something wrong with a row or a field, as in a problem.
type InputError struct {
	Field   string         `json:"field" doc:"the column, or row; the field of a bulk change"`
	Code    string         `json:"code"`
	Params  map[string]any `json:"params,omitempty" nullable:"false" doc:"what a translation of the message needs"`
	Message string         `json:"message"`
}

// ImportRow is what became of one row.
type ImportRow struct {
	Line   int          `json:"line" doc:"in the file; the header is line 1"`
	Serial string       `json:"serial" doc:"empty when the row has no valid one"`
	Result string       `json:"result" enum:"created,unchanged,failed"`
	Errors []InputError `json:"errors" nullable:"false" doc:"why it failed"`
}
