import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Finds other rows for an evaluator that follows relationships.
///
/// All results must be from the same state of the store as the tested rows.
public protocol RowResolver {
    /// Returns the row of each ID, in the order of `ids`, with `nil` for IDs without a row.
    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?]

    /// Returns the members of a to-many relationship of the row, in its order, or sorted by key if
    /// it is unordered.
    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID]

    /// Returns the bytes that a row stores outside of itself.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data
}
