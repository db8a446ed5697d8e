import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A model with every attribute type and kind of relationship, and sample objects that fill a store.
package enum SampleModel {
    static let attributeTypes: [(name: String, type: AttributeType)] = [
        ("aBoolean", .boolean), ("aDate", .date), ("aDecimal", .decimal), ("aDouble", .double),
        ("aFloat", .float), ("aShort", .integer16), ("aLong", .integer32), ("aLonger", .integer64),
        ("aText", .string), ("aURI", .uri), ("aUUID", .uuid), ("bytes", .binary),
        ("shape", .transformable),
    ]

    package static var entities: [EntityDescription] {
        [
            EntityDescription(
                "Item",
                attributeTypes.map { .attribute($0.name, $0.type) } + [
                    .toOne("box", "Box", inverse: "items"),
                    .toMany("marks", "Mark", inverse: "items", isOrdered: true),
                ]),
            EntityDescription("Part", superentity: "Item", [.attribute("size", .integer16)]),
            EntityDescription(
                "Box",
                [
                    .attribute("label", .string),
                    .toMany("items", "Item", inverse: "box", isOrdered: true),
                    .toMany("next", "Box"),
                ]),
            EntityDescription(
                "Mark", [.toMany("items", "Item", inverse: "marks", isOrdered: true)]),
        ]
    }

    /// Returns values that are difficult to represent as text.
    static func values(_ number: Int) throws -> [String: Value] {
        let texts = [
            "plain", "", " spaces \t", "<&\"'>]]>", "line\nline\rline\r\n", "\u{0}\u{1}\u{1f}",
            "\u{fffe}\u{ffff}", "😀\u{301}é", "\u{85}\u{2028}",
        ]
        let doubles = [
            0, -0.0, 1.5, .pi, 1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .nan,
            .infinity, -.infinity, 0.1,
        ]
        let floats: [Float] = [0, -0.0, 0.1, .leastNonzeroMagnitude, .infinity, .nan]
        let double = doubles[number % doubles.count]
        return [
            "aBoolean": .boolean(number % 2 == 0),
            "aDate": .date(Date(timeIntervalSinceReferenceDate: double)),
            "aDecimal": .decimal(
                try needed(
                    Decimal(
                        string: ["0", "-1.5", "12345678901234567890123456789012345678"][number % 3])
                )),
            "aDouble": .double(double), "aFloat": .float(floats[number % floats.count]),
            "aShort": .integer(Int64(Int16.min) + Int64(number)),
            "aLong": .integer(Int64(Int32.max) - Int64(number)),
            "aLonger": .integer(.min + Int64(number)),
            "aText": .string(texts[number % texts.count]),
            "aURI": .uri(try needed(URL(string: "https://example.org/\(number)?a=b&c=%20"))),
            "aUUID": .uuid(UUID()),
            "bytes": .binary(Data((0..<number * 7 % 200).map { UInt8($0) })),
            "shape": .transformable(Data("shape \(number)".utf8)),
        ]
    }

    package static func fill(_ store: any PersistentStore, count: Int = 24) throws {
        let filler = Filler(store: store)
        var rows = try (1...3).map { try filler.row("Box", $0, ["label": .string("box \($0)")]) }
        rows += try (1...4).map { try filler.row("Mark", $0) }
        var pairs: [PairChange] = []
        for key in Int64(1)...Int64(count) {
            var values = key % 5 == 0 ? [:] : try values(Int(key))
            let box = key % 3 + 1
            values["box"] = .objectID(try filler.id("Box", box))
            let item = try filler.id("Item", key)
            rows.append(try filler.row(key % 4 == 0 ? "Part" : "Item", key, values))
            pairs.append(try filler.pair("Box", "items", box, item, order: 100 - key))
            let (mark, change) = (key % 4 + 1, try filler.relationship("Item", "marks"))
            pairs.append(
                try filler.owned(change, item, filler.id("Mark", mark), order: key * 3))
        }
        pairs.append(try filler.pair("Box", "next", 1, filler.id("Box", 2)))
        pairs.append(try filler.pair("Box", "next", 1, filler.id("Box", 1)))
        let transaction = try store.beginSave()
        try transaction.prepare(
            SaveRequest(
                inserted: RowBatch(rows), pairs: pairs,
                metadata: ["mine": .array([1, "two", .date(Date(timeIntervalSince1970: 3))])]))
        _ = try transaction.commit()
    }

    /// Formats dates by their bits, because Foundation's description of a distant date crashes.
    private static func text(of value: Value) -> String {
        if case .date(let date) = value {
            return "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
        }
        return "\(value)"
    }

    /// Returns the complete content of a store as text. Equal stores give equal texts.
    @discardableResult
    package static func readAll(_ store: any PersistentStore) throws -> [String] {
        let snapshot = try store.snapshot()
        var lines: [String] = []
        for entity in store.request.model.entities {
            let cursor = try snapshot.cursor(
                FetchPlan(entity: entity, includesSubentities: false))
            let layout = store.request.layouts.layout(of: entity)
            while let batch = try cursor.next(atMost: 10) {
                for row in batch.rows {
                    let values = layout.slots.map { text(of: row.value($0)) }
                    lines.append("\(entity.name) \(row.key) v\(row.version) \(values)")
                    for relationship in entity.relationships where relationship.isToMany {
                        let related = try snapshot.relatedIDs(relationship, of: [row.id])
                        let keys = related.members.map(\.key)
                        lines.append("  \(relationship.name) \(keys) \(related.orderKeys)")
                    }
                }
            }
        }
        return lines
    }
}

private struct SampleIsMissing: Error {}

/// Returns the value. Throws if the model's samples are not as expected.
private func needed<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw SampleIsMissing() }
    return value
}

/// Packs rows and pairs of the sample model.
private struct Filler {
    let store: any PersistentStore

    func entity(_ name: String) throws -> Entity {
        try needed(store.request.model.entity(named: name))
    }

    func relationship(_ entity: String, _ name: String) throws -> Relationship {
        try needed(try self.entity(entity).relationship(named: name))
    }

    func id(_ name: String, _ key: Int64) throws -> ObjectID {
        let entity = try entity(name)
        return ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    func row(_ name: String, _ key: Int64, _ values: [String: Value] = [:]) throws -> Row {
        let layout = store.request.layouts.layout(of: try entity(name))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: 1)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    func pair(
        _ entity: String, _ name: String, _ owner: Int64, _ member: ObjectID, order: Int64? = nil
    ) throws -> PairChange {
        PairChange(
            .insert, try relationship(entity, name), owner: try id(entity, owner), member: member,
            orderKey: order)
    }

    /// Returns a pair described from the owning side, with positions in both orders.
    func owned(
        _ relationship: Relationship, _ owner: ObjectID, _ member: ObjectID, order: Int64
    ) throws -> PairChange {
        if relationship.ownsPairs {
            return PairChange(
                .insert, relationship, owner: owner, member: member, orderKey: order,
                inverseOrderKey: order)
        }
        return PairChange(
            .insert, try needed(relationship.inverse), owner: member, member: owner,
            orderKey: order, inverseOrderKey: order)
    }
}
