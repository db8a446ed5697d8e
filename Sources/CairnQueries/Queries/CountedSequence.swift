import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// A sequence type whose elements a predicate can count without reading them.
protocol CountedSequence {
    static var countPath: AnyKeyPath { get }
    static var isEmptyPath: AnyKeyPath { get }
}

extension CountedSequence {
    /// Translates the key paths `count` and `isEmpty`.
    static func read(
        _ path: AnyKeyPath, of term: SwiftPredicateReader.Term, _ expression: Any
    ) throws(GraphError) -> SwiftPredicateReader.Term {
        let count: FetchExpression
        switch term {
        case .expression(.keyPath(let names)): count = .keyPath(names + ["@count"])
        case .expression(.keyPathOf(let base, let names)):
            count = .keyPathOf(base, names + ["@count"])
        case .members(let collection, let variable, let predicate):
            let members = FetchExpression.subquery(
                collection: collection, variable: variable, predicate: predicate)
            count = .keyPathOf(members, ["@count"])
        default: throw SwiftPredicateReader.unsupported(expression)
        }
        if path == countPath { return .expression(count) }
        guard path == isEmptyPath else { throw SwiftPredicateReader.unsupported(path) }
        return .predicate(.comparison(PredicateComparison(count, .equal, .constant(.integer(0)))))
    }
}

extension Members: CountedSequence {
    static var countPath: AnyKeyPath { \Members<Element>.count }
    static var isEmptyPath: AnyKeyPath { \Members<Element>.isEmpty }
}

extension OrderedMembers: CountedSequence {
    static var countPath: AnyKeyPath { \OrderedMembers<Element>.count }
    static var isEmptyPath: AnyKeyPath { \OrderedMembers<Element>.isEmpty }
}

extension Array: CountedSequence {
    static var countPath: AnyKeyPath { \Array<Element>.count }
    static var isEmptyPath: AnyKeyPath { \Array<Element>.isEmpty }
}
