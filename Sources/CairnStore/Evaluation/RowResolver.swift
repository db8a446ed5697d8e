import CairnModel
import Foundation

/// What finds other rows for an evaluator that follows relationships.
///
/// Answers must all be from the state of the store that the tested rows are from.
public protocol RowResolver {
    /// Returns the row of each ID, in the order of `ids`; nil for one that has no row.
    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?]

    /// Returns the members of a to-many of the row, in its order or else by key.
    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID]

    /// Returns the bytes that a row keeps outside of itself.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data
}
