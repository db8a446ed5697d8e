import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Assembles the bytes of one message: little-endian numbers, and blocks preceded by their length.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// Creates a request and writes its header.
    ///
    /// - Parameters:
    ///   - token: The server's number for the opened store, or 0 before a store is opened.
    ///   - released: Snapshots and cursors that the client no longer uses.
    init(_ operation: SocketOperation, of token: UInt64, releasing released: [UInt64] = []) {
        integer(operation.rawValue)
        integer(token)
        list(released) { $0.integer($1) }
    }

    /// Creates an answer.
    init() {}

    mutating func integer<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func block(_ block: some Collection<UInt8>) {
        integer(UInt64(block.count))
        bytes.append(contentsOf: block)
    }

    mutating func text(_ text: String) { block(Array(text.utf8)) }

    mutating func optional<T>(_ value: T?, _ write: (inout MessageWriter, T) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func list<T>(_ values: some Collection<T>, _ write: (inout MessageWriter, T) -> Void) {
        integer(UInt64(values.count))
        for value in values { write(&self, value) }
    }

    /// Writes an ID without its store, because each side has its own number for the store.
    mutating func id(_ id: ObjectID) {
        integer(id.rootEntity.rawValue)
        integer(id.entity.rawValue)
        integer(id.key)
    }

    /// Writes a packed row, which begins with its length.
    mutating func row(_ row: Row) { row.withBytes { bytes.append(contentsOf: $0) } }

    /// Writes rows, or IDs only.
    mutating func batch(_ batch: RowBatch) {
        flag(batch.holdsIDsOnly)
        if batch.holdsIDsOnly {
            list(batch.ids) { $0.id($1) }
        } else {
            integer(UInt64(batch.count))
            for index in batch.rowIndices { row(batch[row: index]) }
        }
    }

    mutating func relationship(_ relationship: Relationship) {
        integer(relationship.entity.number.rawValue)
        text(relationship.name)
    }

    mutating func values(_ values: [String: MetadataValue]) {
        block(MetadataCodec.encode(.dictionary(values)))
    }
}
