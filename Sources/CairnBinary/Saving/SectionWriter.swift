import CairnAtomicStore
import CairnEngineKit
import CairnModel

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
