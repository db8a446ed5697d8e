import CairnStore
import Foundation
import Testing

@Suite struct `The name of a save` {
    @Test func `is a UUID that begins with the time`() throws {
        let before = UInt64(Date().timeIntervalSince1970 * 1000)
        let id = SaveID()
        let after = UInt64(Date().timeIntervalSince1970 * 1000)

        let bytes = withUnsafeBytes(of: id.uuid.uuid) { Array($0) }
        let milliseconds = bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect((before...after).contains(milliseconds))
        #expect(bytes[6] >> 4 == 7)
        #expect(bytes[8] >> 6 == 2)
    }

    @Test func `is different each time`() {
        let ids = Set((0..<1000).map { _ in SaveID() })

        #expect(ids.count == 1000)
    }

    @Test func `is ordered by its bytes`() throws {
        let texts = [
            "00000000-0000-0000-0000-0000000000FF", "00000000-0000-0000-0000-000000000100",
            "7F000000-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
        ]
        let ids = try texts.map { SaveID(try #require(UUID(uuidString: $0))) }

        #expect(ids.shuffled().sorted() == ids)
        #expect(!(ids[0] < ids[0]))
    }
}

@Suite struct `A record of named saves` {
    private let ids = (0..<1200).map { _ in SaveID() }.shuffled()

    @Test func `contains the last 1,000, whatever their order`() {
        var record = SaveRecord()
        for id in ids { record.add(id) }

        #expect(ids.suffix(1000).allSatisfy { record.outcome(of: $0) == .saved })
        #expect(ids.prefix(200).allSatisfy { record.outcome(of: $0) == .forgotten })
    }

    @Test func `answers not saved only for names later than those that it forgot`() throws {
        var record = SaveRecord()
        let (early, late) = (SaveID(), try #require(ids.max()))
        for id in ids { record.add(id) }
        let missing = SaveID()

        #expect(SaveRecord().outcome(of: early) == .notSaved)
        // This name was never recorded, but the record cannot know that.
        #expect(record.outcome(of: try #require(smallName)) == .forgotten)
        #expect(missing > late)
        #expect(record.outcome(of: missing) == .notSaved)
    }

    private var smallName: SaveID? {
        UUID(uuidString: "00000000-0000-7000-8000-000000000001").map { SaveID($0) }
    }

    @Test(arguments: [0, 1, 999, 1000, 1001, 1200])
    func `is the same after it was written and read`(_ count: Int) throws {
        var record = SaveRecord()
        for id in ids.prefix(count) { record.add(id) }

        let read = try #require(SaveRecord(record.data))

        #expect(read == record)
        #expect(read.isEmpty == (count == 0))
        #expect(record.data.count <= 16 * 1001)
    }

    @Test(arguments: [0, 1, 15, 17, 16 * 1002])
    func `is refused if it is cut short or too long`(_ count: Int) {
        #expect(SaveRecord(Data(repeating: 1, count: count)) == nil)
    }

    @Test func `is read from a slice of other bytes`() throws {
        var record = SaveRecord()
        record.add(ids[0])

        let slice = (Data([1, 2, 3]) + record.data).dropFirst(3)

        #expect(SaveRecord(slice) == record)
    }
}
