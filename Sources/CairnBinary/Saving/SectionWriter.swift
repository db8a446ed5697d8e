import CairnAtomicStore
import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows

/// Writes the rows, pairs and order keys of a table as sections.
struct SectionWriter {
    let table: StoreTable

    /// The number of bytes before the content of a section.
    static let headByteCount = 24

    func write(to writer: inout FilePartsWriter) {
        for root in table.schema.rootEntities { writeRows(of: root, &writer) }
        for entity in table.schema.layouts.model.entities {
            for case .relationship(let relationship) in entity.ownProperties
            where relationship.isToMany && !relationship.isTransient {
                if relationship.isManyToMany {
                    if relationship.ownsPairs { writePairs(of: relationship, &writer) }
                } else if relationship.isOrdered {
                    writeOrder(of: relationship, &writer)
                }
            }
        }
    }

    private func writeRows(of root: EntityNumber, _ writer: inout FilePartsWriter) {
        let rows = table.rows(root: root)
        if rows.isEmpty { return }
        section(.rows, root, &writer) { writer in
            var position = rows.start
            while rows.withRun(from: &position, { writer.append($0) }) != nil {}
            return rows.count
        }
    }

    private func writePairs(of relationship: Relationship, _ writer: inout FilePartsWriter) {
        let pairs = table.pairs(of: relationship)
        if pairs.isEmpty { return }
        section(.pairs, relationship.entity.number, &writer) { writer in
            name(relationship, &writer)
            for pair in pairs {
                writer.append(pair.owner)
                writer.append(pair.member)
                writer.append(pair.orderKey ?? 0)
                writer.append(pair.inverseOrderKey ?? 0)
                writer.append(
                    (pair.orderKey == nil ? 0 : SectionKind.hasOrderKey)
                        | (pair.inverseOrderKey == nil ? 0 : SectionKind.hasInverseOrderKey))
            }
            return pairs.count
        }
    }

    private func writeOrder(of relationship: Relationship, _ writer: inout FilePartsWriter) {
        let members = table.pairs(of: relationship)
        if members.isEmpty { return }
        section(.order, relationship.entity.number, &writer) { writer in
            name(relationship, &writer)
            for pair in members {
                writer.append(pair.owner)
                writer.append(pair.member)
                writer.append(pair.orderKey ?? 0)
            }
            return members.count
        }
    }

    private func name(_ relationship: Relationship, _ writer: inout FilePartsWriter) {
        let name = Array(relationship.name.utf8)
        writer.append(UInt64(name.count))
        writer.append(name)
        writer.pad()
    }

    /// - Parameter body: Writes the content and returns the number of rows, pairs or order keys.
    private func section(
        _ kind: SectionKind, _ entity: EntityNumber, _ writer: inout FilePartsWriter,
        _ body: (inout FilePartsWriter) -> Int
    ) {
        let start = writer.count
        let offset = writer.nextOwnOffset()
        writer.append(kind.rawValue)
        writer.append(UInt32(entity.rawValue))
        writer.append(UInt64(0))
        writer.append(UInt64(0))
        let count = body(&writer)
        writer.put(UInt64(count), atOwn: offset + 8)
        writer.put(UInt64(writer.count - start - Self.headByteCount), atOwn: offset + 16)
    }
}

/// Collects little-endian numbers and blocks of bytes in order. The bytes of rows are not copied.
struct FilePartsWriter {
    private(set) var parts: FileParts

    /// - Parameter table: The table whose rows are written.
    init(of table: StoreTable) { parts = FileParts(owner: table) }

    var count: Int { parts.count }
    /// Returns the offset of the next appended number among the writer's own bytes, for use with
    /// ``put(_:atOwn:)``.
    mutating func nextOwnOffset() -> Int { parts.nextOwnOffset() }

    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { parts.append($0) }
    }

    /// Appends rows of the table.
    ///
    /// - Returns: The number of rows.
    mutating func append(_ rows: RowRun) -> Int {
        // The bytes outlive the call, because the table keeps its slabs alive.
        rows.forEachBytes { parts.append(held: $0) }
        return rows.count
    }

    mutating func append(_ block: [UInt8]) { block.withUnsafeBytes { parts.append($0) } }

    /// Appends zero bytes up to a multiple of 8.
    mutating func pad() {
        while parts.count % 8 != 0 { append(0 as UInt8) }
    }

    /// Returns the checksum of all bytes from an offset.
    ///
    /// - Precondition: There are no rows before the offset.
    func checksum(from offset: Int) -> UInt64 {
        parts.withParts { parts in
            var parts = parts
            parts[0] = UnsafeRawBufferPointer(rebasing: parts[0][offset...])
            return Checksum.of(parts)
        }
    }

    /// Overwrites the writer's own bytes at an offset with a number.
    ///
    /// - Precondition: The own bytes contain the whole number at the offset.
    mutating func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, atOwn offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { parts.overwrite($0, atOwn: offset) }
    }
}
