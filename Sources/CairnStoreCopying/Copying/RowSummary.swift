import CairnModel
import CairnRows
import CairnStore

/// The values of an entity's rows that must be equal in two stores. These are all values except
/// those that a store computes, and bytes that it may keep in files.
struct RowSummary {
    private let layout: RowLayout
    /// `nil` if rows are compared byte for byte.
    private let slots: [RowLayout.Slot]?

    init(_ layout: RowLayout) {
        self.layout = layout
        let compared = zip(layout.properties, layout.slots).filter { property, slot in
            if case .attribute(let attribute) = property, attribute.isDerived { return false }
            return slot.kind != .externalBinary
        }.map(\.1)
        slots = compared.count == layout.slots.count ? nil : compared
    }

    /// Whether rows are compared byte for byte, so that ``hash(ofAll:)`` is enough.
    var comparesWholeRows: Bool { slots == nil }

    /// Returns a hash of a row.
    ///
    /// - Parameter writer: used to pack the compared values of rows that are not compared as a
    ///   whole.
    /// - Throws: `.unsupportedValue` for a row that would be too large.
    func hash(of row: Row, packing writer: inout RowWriter) throws(StoreError) -> UInt64 {
        guard let slots else { return row.withBytes { Self.hash(ofAll: $0) } }
        do throws(RowError) {
            writer.begin(layout, key: row.key, version: row.version)
            for slot in slots { try writer.set(slot, from: row, at: slot) }
            writer.endRow()
        } catch {
            throw .unsupportedValue(
                entity: layout.entity.name, attribute: error.property, reason: error.reason)
        }
        return writer.takeRow()?.withBytes { Self.hash(ofAll: $0) } ?? 0
    }

    /// Returns the hash of a row that is compared byte for byte.
    @inline(__always) static func hash(ofAll bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = ContentHash()
        hash.add(bytes)
        return hash.value
    }
}
