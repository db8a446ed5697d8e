import CairnModel
import Foundation

/// The value of an attribute that may be stored outside of its row.
package enum ExternalBinary: Sendable, Hashable {
    /// The bytes themselves, which are stored in the row.
    case inline(Data)
    /// A reference, for which the snapshot returns the bytes.
    case reference(ExternalReference)

    /// The first byte of an inline value, as in Core Data's SQLite stores.
    static let inlineMark: UInt8 = 1
    /// The first byte of a reference, as in Core Data's SQLite stores.
    static let referenceMark: UInt8 = 2
}
