/// A Foundation predicate expression that can be used in a fetch.
protocol ReadableExpression {
    func read(by reader: inout SwiftPredicateReader) throws(GraphError) -> SwiftPredicateReader.Term
}
