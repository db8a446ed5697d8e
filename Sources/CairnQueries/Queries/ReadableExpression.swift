import CairnStack

/// An expression of a Foundation predicate that can be translated for a fetch.
protocol ReadableExpression {
    func read(by reader: inout SwiftPredicateReader) throws(GraphError) -> SwiftPredicateReader.Term
}
