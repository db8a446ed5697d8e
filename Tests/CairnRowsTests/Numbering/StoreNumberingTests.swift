import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@Suite struct `A store's numbering` {
    private let model: ManagedObjectModel
    private let layouts: RowLayouts

    init() throws {
        model = try ManagedObjectModel(
            ModelDescription([
                EntityDescription("Animal", isAbstract: true, [.toOne("home", "House")]),
                EntityDescription("Cat", superentity: "Animal", [.toOne("prey", "Animal")]),
                EntityDescription("House", [.attribute("name", .string)]),
            ]))
        layouts = RowLayouts(model)
    }

    @Test(arguments: [
        ["Animal", "Cat", "House"], ["Animal", "Cat"], [],
    ])
    func `is nil if the model has the same numbering`(_ names: [String]) {
        #expect(StoreNumbering(names: names, model: model) == nil)
    }

    @Test(arguments: [
        ["House", "Animal", "Cat"], ["Cat", "House", "Animal"], ["Aaa", "Animal", "Cat", "House"],
        ["Animal", "House"], ["House", "House", "Cat", "Animal"],
        ["Animal", "Cat", "House", "Zoo"],
    ])
    func `maps names, whatever their order`(_ names: [String]) throws {
        let numbering = try #require(StoreNumbering(names: names, model: model))

        for entity in model.entities {
            let first = names.firstIndex(of: entity.name)
            let stored = numbering.storeNumber(of: entity.number)
            #expect(Int(stored.rawValue) == (first ?? -1) + 1)
            if first != nil { #expect(numbering.modelNumber(of: stored) == entity.number) }
        }
        for number in [0, UInt16(names.count + 1), .max] {
            #expect(numbering.modelNumber(of: StoreEntityNumber(number)) == EntityNumber(0))
        }
    }

    private func cat() throws -> Row {
        let cat = try #require(model.entity(named: "Cat"))
        let house = try #require(model.entity(named: "House"))
        let layout = layouts.layout(of: cat)
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        writer.begin(layout, key: 7, version: 1)
        let (home, prey) = (layout.slot(named: "home"), layout.slot(named: "prey"))
        writer.set(key: 8, entity: house.number, at: try #require(home))
        writer.set(key: 9, entity: cat.number, at: try #require(prey))
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    @Test(arguments: [["House", "Cat", "Animal"], ["Aaa", "Animal", "Bbb", "Cat", "House"]])
    func `translates every number in a row in both directions`(_ names: [String]) throws {
        let numbering = try #require(StoreNumbering(names: names, model: model))
        let row = try cat()
        var stored = row.withBytes { Array($0) }

        stored.withUnsafeMutableBytes { layouts.renumber($0, for: numbering) }
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        try stored.withUnsafeBytes {
            try writer.append(bytes: $0, numberedBy: numbering, checkedBy: layouts)
        }

        #expect(Row.hasSameBytes(writer.takeBatch()[row: 0], row))
        let numbers = try ["Cat", "Animal"].map {
            UInt8(try #require(names.firstIndex(of: $0)) + 1)
        }
        #expect([stored[4], stored[6]] == numbers)
        #expect(stored != row.withBytes { Array($0) })
    }

    @Test func `refuses numbers that the store does not have`() throws {
        let names = ["House", "Cat", "Animal"]
        let numbering = try #require(StoreNumbering(names: names, model: model))
        var sound = try cat().withBytes { Array($0) }
        sound.withUnsafeMutableBytes { layouts.renumber($0, for: numbering) }
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        for offset in [4, 6] {
            for number in [UInt8](0...5) where number != sound[offset] {
                var damaged = sound
                damaged[offset] = number
                #expect(throws: RowDamage.self) {
                    try damaged.withUnsafeBytes {
                        try writer.append(bytes: $0, numberedBy: numbering, checkedBy: layouts)
                    }
                }
            }
        }
        for count in [0, 4, 8, 23, sound.count - 8] {
            #expect(throws: RowDamage.self) {
                try sound.withUnsafeBytes {
                    try writer.append(
                        bytes: UnsafeRawBufferPointer(rebasing: $0[..<count]),
                        numberedBy: numbering, checkedBy: layouts)
                }
            }
        }
        #expect(writer.count == 0)
    }

    @Test func `gives a store its own object IDs`() throws {
        var description = model.description
        description.entities.append(EntityDescription("Aaa"))
        let larger = try ManagedObjectModel(description)
        let (identifier, location) = (UUID().uuidString, StoreLocation.memory("numbering"))
        let old = StoreDirectory.shared.number(
            identifier: identifier, location: location, model: model)

        let new = StoreDirectory.shared.number(
            identifier: identifier, location: location, model: larger)
        let again = StoreDirectory.shared.number(
            identifier: identifier, location: location, model: model)

        #expect(again == old && new != old)
        let house = try #require(model.entity(named: "House")?.number)
        let id = ObjectID(store: old, rootEntity: house, entity: house, key: 3)
        #expect(id.description.hasSuffix("/House/p3"))
    }
}
