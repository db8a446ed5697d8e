import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Copies of a graph that only the history keeps up to date.
@Suite struct `A mirror of a store` {
    private static let stores: [[StoreType]] =
        everyEngine.map { [$0] } + [["SQLite", "LMDB"], ["LMDB", "Binary", "InMemory"]]

    @Test(arguments: stores)
    func `that applies only what the history says equals the store after each save`(
        _ types: [StoreType]
    ) throws {
        let stack = try HistoryStack(types)
        var random = SeededRandom(seed: SeededRandom.seed(of: "mirror of \(types)"))
        var mirror = HistoryMirror(stack.coordinator)
        for _ in 0..<60 * TestSetting.scale {
            try Self.saveRandomly(stack, &random)
            try mirror.update()
            #expect(try mirror.differences() == [])
        }
        #expect(mirror.transactionCount >= 20 * TestSetting.scale)
    }

    @Test(arguments: HistoryMirror.Defect.allCases)
    func `notices planted defects`(_ defect: HistoryMirror.Defect) throws {
        let stack = try HistoryStack(["InMemory"])
        var random = SeededRandom(seed: 41)
        var mirror = HistoryMirror(stack.coordinator, defect: defect)
        var differences: [String] = []
        for _ in 0..<60 where differences.isEmpty {
            try Self.saveRandomly(stack, &random)
            try mirror.update()
            differences = try mirror.differences()
        }
        #expect(!differences.isEmpty)
    }

    /// Makes one save with a few random changes of at most 40 people.
    private static func saveRandomly(
        _ stack: HistoryStack, _ random: inout SeededRandom
    ) throws {
        let stores = stack.coordinator.persistentStores
        let numbers = (0..<40).map { _ in Int.random(in: 0..<1_000_000, using: &random) }
        try stack.save(author: numbers[0].isMultiple(of: 2) ? "even" : nil) { context in
            var rest = numbers
            func next(_ bound: Int) -> Int { (rest.popLast() ?? 0) % max(bound, 1) }
            let people: [ManagedObject] = try context.fetch(FetchRequest("Person"))
            let teams: [ManagedObject] = try context.fetch(FetchRequest("Team"))
            let tags: [ManagedObject] = try context.fetch(FetchRequest("Tag"))
            func isNear(_ a: ManagedObject, _ b: ManagedObject) -> Bool {
                a.objectID.store == b.objectID.store
            }
            for _ in 0...next(4) {
                switch next(9) {
                case 0, 1:
                    if people.count > 40 { fallthrough }
                    let person = try context.insert(
                        next(2) == 0 ? "Person" : "Lead", ["name": "p\(next(100))"])
                    try context.assign(person, to: stores[next(stores.count)])
                case 2:
                    guard !people.isEmpty else { continue }
                    try people[next(people.count)].setValue(next(90), forKey: "age")
                case 3:
                    guard people.count > 5 else { continue }
                    let person = people[next(people.count)]
                    if !person.isDeleted { try context.delete(person) }
                case 4:
                    guard teams.count < 5 || tags.count < 5 else { continue }
                    let entity = teams.count < tags.count ? "Team" : "Tag"
                    let object = try context.insert(entity, ["name": "n\(next(100))"])
                    try context.assign(object, to: stores[next(stores.count)])
                case 5, 6:
                    guard !people.isEmpty, !teams.isEmpty else { continue }
                    let person = people[next(people.count)]
                    let team = teams[next(teams.count)]
                    guard !person.isDeleted, isNear(person, team) else { continue }
                    try person.setValue(next(4) == 0 ? nil : team, forKey: "team")
                case 7:
                    guard !teams.isEmpty else { continue }
                    let members = try teams[next(teams.count)].mutableOrderedSetValue(
                        forKey: "people")
                    guard members.count > 1 else { continue }
                    let member = Array(members)[next(members.count)]
                    try members.remove(member)
                    try members.insert(member, at: next(members.count + 1))
                default:
                    guard !people.isEmpty, !tags.isEmpty else { continue }
                    let person = people[next(people.count)]
                    let tag = tags[next(tags.count)]
                    guard !person.isDeleted, isNear(person, tag) else { continue }
                    let set = try person.mutableSetValue(forKey: "tags")
                    if try set.contains(tag) { try set.remove(tag) } else { try set.insert(tag) }
                }
            }
        }
    }
}
