import CairnModel
import CairnStore
import Testing

@Suite(.onEveryEngine) struct `Keys` {
    let subject: StoreUnderTest

    init() throws { subject = try StoreUnderTest() }

    private func reserve(_ counts: [String: Int]) throws -> [String: Range<Int64>] {
        let save = try subject.store.beginSave()
        var numbers: [EntityNumber: Int] = [:]
        for (name, count) in counts { numbers[try subject.entity(name).number] = count }
        let keys = try save.reserveKeys(numbers)
        var names: [String: Range<Int64>] = [:]
        for name in counts.keys { names[name] = keys[try subject.entity(name).number] }
        return names
    }

    @Test func `begin at 1 in each root entity`() throws {
        #expect(try reserve(["Album": 3, "Track": 2]) == ["Album": 1..<4, "Track": 1..<3])
    }

    @Test func `are never given again, rolled back or not`() throws {
        let first = try #require(try reserve(["Album": 5])["Album"])
        let second = try #require(try reserve(["Album": 5])["Album"])

        #expect(first.upperBound <= second.lowerBound)
    }

    @Test func `are never given again after the object with the highest one is gone`() throws {
        let key = try #require(try reserve(["Album": 1])["Album"]).lowerBound
        try subject.insert(try subject.row("Album", key))
        try subject.save(SaveRequest(deleted: [try subject.deletion("Album", key, from: 1)]))

        #expect(try #require(try reserve(["Album": 1])["Album"]).lowerBound > key)
    }

    @Test func `come above every key in the store`() throws {
        try subject.insert(try subject.row("LiveTrack", 1000))

        #expect(try reserve(["Track": 1]) == ["Track": 1001..<1002])
    }

    @Test func `are absent where none were wanted`() throws {
        #expect(try reserve(["Album": 0, "Track": -1, "Tag": 1]) == ["Tag": 1..<2])
    }

    @Test func `run out with an error that names the entity`() throws {
        try subject.insert(try subject.row("Album", .max))

        do {
            _ = try reserve(["Album": 1])
            Issue.record("there is no key above the highest one")
        } catch StoreError.keysExhausted(let entity) {
            #expect(entity == "Album")
        }
    }
}
