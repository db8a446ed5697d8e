import CairnModel
import CairnRows
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Row check` {
    let layouts: RowLayouts
    let store = StoreNumber(rawValue: 7)

    init() throws {
        var things = (0..<70).map {
            PropertyDescription.attribute("number\($0)", .integer16)
        }
        things += [
            .attribute("blob", .binary), .attribute("name", .string), .attribute("price", .decimal),
            .attribute("site", .uri), .toOne("owner", "Thing"), .attribute("parts", .transformable),
        ]
        layouts = RowLayouts(
            try ManagedObjectModel([
                EntityDescription("Other", [.attribute("name", .string)]),
                EntityDescription("Special", superentity: "Thing", [.attribute("more", .string)]),
                EntityDescription("Thing", things),
            ]))
    }

    private func row(_ entityName: String = "Special") throws -> Row {
        let entity = try #require(layouts.model.entity(named: entityName))
        let layout = layouts.layout(of: entity)
        let owner = ObjectID(
            store: store, rootEntity: entity.rootEntity.number, entity: entity.number, key: 3)
        let values: [String: Value] = [
            "blob": .binary(Data(0..<77)), "name": "naïve", "owner": .objectID(owner),
            "price": .decimal(12.5), "number7": 9, "more": "x",
        ]
        var writer = RowWriter(store: store)
        writer.begin(layout, key: 5, version: 2)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    private func bytes(of row: Row) -> [UInt8] { row.withBytes { Array($0) } }

    private func damage(_ bytes: [UInt8]) -> RowDamage? {
        bytes.withUnsafeBytes { bytes in
            do throws(RowDamage) {
                try layouts.check(bytes)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(arguments: ["Special", "Thing", "Other"])
    func `accepts rows that a writer packed`(_ entity: String) throws {
        let row = try row(entity)

        var writer = RowWriter(store: store)
        try row.withBytes { bytes throws(RowDamage) in
            try writer.append(bytes: bytes, checkedBy: layouts)
        }

        #expect(Row.hasSameBytes(writer.takeBatch()[row: 0], row))
    }

    @Test func `refuses every other length`() throws {
        let whole = bytes(of: try row())

        let kept = (0..<whole.count).filter { damage(Array(whole[..<$0])) == nil }

        #expect(kept == [])
        #expect(damage(whole + [UInt8](repeating: 0, count: 8)) == .wrongLength)
    }

    @Test func `refuses entities and destinations that the model does not have`() throws {
        let layout = layouts.layout(of: try #require(layouts.model.entity(named: "Special")))
        var (entity, root, destination) = (
            bytes(of: try row()), bytes(of: try row()), bytes(of: try row())
        )
        let owner = try #require(layout.slot(named: "owner"))
        let offset = try #require(
            destination.indices.first {
                destination[$0...].starts(with: [
                    3, 0, 0, 0, 0, 0, 0, 0, UInt8(layout.entity.number.rawValue), 0,
                ])
            })

        entity[4] = 99
        root[6] = 1
        destination[offset + 8] = 1

        #expect(damage(entity) == .unknownEntity(99))
        #expect(damage(root) == .unknownEntity(layout.entity.number.rawValue))
        #expect(damage(destination) == .wrongDestination(slot: Int(owner.index)))
    }

    /// Reads every slot of each row that passes. With the address sanitizer an access outside of the row is
    /// an error; without it, most such accesses trap.
    @Test func `lets no damaged byte cause a read outside the row`() throws {
        let whole = bytes(of: try row())
        let seed = SeededRandom.seed(of: "damaged rows")
        var random = SeededRandom(seed: seed)
        var (passed, refused) = (0, 0)

        for _ in 0..<20_000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<whole.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            var writer = RowWriter(store: store)
            let isSound = damaged.withUnsafeBytes { bytes in
                (try? writer.append(bytes: bytes, checkedBy: layouts)) != nil
            }
            if isSound { passed += 1 } else { refused += 1 }
            for row in writer.takeBatch().rows {
                let layout = try #require(layouts.layout(of: row.entity))
                for slot in layout.slots where !row.isNull(slot) { _ = row.value(slot) }
                #expect(row.byteCount == whole.count)
            }
        }

        #expect(passed > 1000 && refused > 1000)
    }
}
