extension BoundPath.CollectionOperator {
    /// Returns the result of combining the values. Values that are `nil` are ignored.
    package func result(of values: [Value]) -> Value {
        var tally = SummaryTally(self)
        for value in values { tally.add(value) }
        return tally.result
    }
}
