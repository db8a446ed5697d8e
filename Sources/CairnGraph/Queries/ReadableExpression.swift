/// An expression of Foundation's predicates that a fetch has a meaning for.
protocol ReadableExpression {
    func read(by reader: inout SwiftPredicateReader) throws(GraphError) -> SwiftPredicateReader.Term
}
