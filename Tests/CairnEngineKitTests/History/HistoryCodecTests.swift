import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnEngineKit

@Suite struct `Transactions as bytes` {
    private static func model(_ names: [String] = ["A", "B"]) throws -> ManagedObjectModel {
        try ManagedObjectModel(names.map { EntityDescription($0, [.attribute("name", .string)]) })
    }

    private static func id(_ key: Int64, _ entity: UInt16) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: 3), rootEntity: EntityNumber(entity),
            entity: EntityNumber(entity), key: key)
    }

    private static var sample: PersistentHistoryTransaction {
        PersistentHistoryTransaction(
            position: HistoryPosition(number: 1 << 40, mark: .max - 5), storeID: "S",
            timestamp: Date(timeIntervalSinceReferenceDate: 1.5), author: "grüezi",
            contextName: "", processID: "p", bundleID: "b",
            changes: [
                PersistentHistoryChange(.delete, id(1, 1), tombstone: ["name": .string("x")]),
                PersistentHistoryChange(.delete, id(.max, 1)),
                PersistentHistoryChange(.update, id(2, 2), updatedProperties: ["name", "other"]),
                PersistentHistoryChange(.update, id(300, 2), updatedProperties: ["name", "other"]),
                PersistentHistoryChange(.update, id(4, 1)),
                PersistentHistoryChange(.insert, id(1 << 35, 1)),
                PersistentHistoryChange(.insert, id(6, 2)),
            ])
    }

    private func codec(_ model: ManagedObjectModel) -> HistoryCodec {
        HistoryCodec(model, store: StoreNumber(rawValue: 3), storeID: "S")
    }

    @Test func `are read back equal`() throws {
        let codec = codec(try Self.model())
        var anonymous = Self.sample
        (anonymous.author, anonymous.contextName, anonymous.changes) = (nil, nil, [])

        for sample in [Self.sample, anonymous] {
            let bytes = codec.encode(sample)
            #expect(bytes.withUnsafeBytes { codec.decode($0) } == sample)
            #expect(bytes.withUnsafeBytes { HistoryCodec.position(in: $0) } == sample.position)
        }
    }

    @Test(arguments: [-1, HistoryPosition.mostNumber + 1, .max])
    func `are damaged if their number leaves no room for others`(_ number: Int64) throws {
        let codec = codec(try Self.model())
        var sample = Self.sample
        sample.position = HistoryPosition(number: number, mark: 1)
        let bytes = codec.encode(sample)

        #expect(bytes.withUnsafeBytes { codec.decode($0) } == nil)
        #expect(bytes.withUnsafeBytes { HistoryCodec.position(in: $0) } == nil)
    }

    @Test func `identify entities by name`() throws {
        let bytes = codec(try Self.model()).encode(Self.sample)

        let found = try bytes.withUnsafeBytes { codec(try Self.model(["AA", "B"])).decode($0) }

        // B has the number 2 in both models, and A is gone.
        #expect(found?.changes.map(\.changedObjectID.key) == [2, 300, 6])
        #expect(found?.changes.map(\.changedObjectID.entity.rawValue) == [2, 2, 2])
    }

    @Test func `that are damaged are refused or read, without a trap`() throws {
        let codec = codec(try Self.model())
        let bytes = codec.encode(Self.sample)
        var refused = 0
        for index in bytes.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] ^= change
                if damaged.withUnsafeBytes({ codec.decode($0) }) == nil { refused += 1 }
            }
            let short = Array(bytes.prefix(index))
            if short.withUnsafeBytes({ codec.decode($0) }) == nil { refused += 1 }
        }
        #expect(refused > bytes.count)
    }
}
