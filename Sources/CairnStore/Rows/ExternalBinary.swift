import CairnModel
import Foundation

/// The value of an attribute that may be kept outside of its row.
public enum ExternalBinary: Sendable, Hashable {
    case inline(Data)
    /// Ask the snapshot for the bytes.
    case reference(ExternalReference)

    /// First byte of an inline value, as in Core Data's SQLite stores.
    static let inlineMark: UInt8 = 1
    /// First byte of a reference, as in Core Data's SQLite stores.
    static let referenceMark: UInt8 = 2
}
