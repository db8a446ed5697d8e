import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import LogStore
import Testing

/// What becomes of a log when its last save is interrupted, and when its file is damaged.
@Suite struct `File of a log store` {
    private let folder: TemporaryFolder
    private let request: OpenRequest
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("store")
        request = OpenRequest(
            location: .file(url),
            model: try ManagedObjectModel([EntityDescription("Note", [.attribute("n", .integer64)])]
            ))
    }

    /// Saves a note for each number, in a save of its own, and returns the file after each save.
    private func save(_ numbers: [Int64], in store: LogStore) throws -> [Data] {
        let note = try #require(request.model.entity(named: "Note"))
        let layout = request.layouts.layout(of: note)
        return try numbers.map { number in
            let save = try store.beginSave()
            let key = try #require(try save.reserveKeys([note.number: 1])[note.number])
            var writer = RowWriter(store: store.number)
            writer.begin(layout, key: key.lowerBound, version: 1)
            writer.set(number, at: try #require(layout.slot(named: "n")))
            writer.endRow()
            try save.prepare(SaveRequest(inserted: writer.takeBatch()))
            _ = try save.commit()
            return try Data(contentsOf: url)
        }
    }

    private func numbers(in store: LogStore) throws -> [Int64] {
        let note = try #require(request.model.entity(named: "Note"))
        let slot = try #require(request.layouts.layout(of: note).slot(named: "n"))
        let cursor = try store.snapshot().cursor(FetchPlan(entity: note))
        return try cursor.next(atMost: 100)?.rows.map { $0.int64(slot) } ?? []
    }

    /// The file as it is when the head of a save is lost, and its record is there in part.
    private func interrupted(_ files: [Data], after count: Int) -> Data {
        files[0].prefix(32) + files[1].dropFirst(32).prefix(count - 32)
    }

    @Test func `a torn last record is no save, and the next save removes it`() throws {
        let store = try LogStore.open(request)
        let files = try save([1, 2], in: store)
        store.close()
        for count in stride(from: files[0].count, to: files[1].count, by: 7) {
            try interrupted(files, after: count).write(to: url)

            let again = try LogStore.open(request)
            let found = try numbers(in: again)
            _ = try save([3], in: again)
            again.close()
            let third = try LogStore.open(request)
            let later = try numbers(in: third)
            third.close()

            #expect(found == [1])
            #expect(later == [1, 3])
        }
    }

    /// Bytes of a long torn record after a short new one could look like a record some day.
    @Test func `nothing of a torn record stays after a shorter one that replaces it`() throws {
        let store = try LogStore.open(request)
        let files = try save([1, 2], in: store)
        store.close()
        let torn = Data(repeating: 0xA5, count: 5000)
        try (interrupted(files, after: files[0].count) + torn).write(to: url)

        let again = try LogStore.open(request)
        let saved = try save([2], in: again)
        again.close()

        #expect(saved[0].count == files[1].count)
    }

    @Test func `a complete last record counts without the head`() throws {
        let store = try LogStore.open(request)
        let files = try save([1, 2], in: store)
        store.close()
        try interrupted(files, after: files[1].count).write(to: url)

        let again = try LogStore.open(request)
        let found = try numbers(in: again)

        #expect(found == [1, 2])
        again.close()
    }

    @Test func `a file that is cut short or damaged before its end is refused`() throws {
        let store = try LogStore.open(request)
        let files = try save([1, 2], in: store)
        store.close()
        var damaged: [Data] = (32..<files[1].count).map { files[1].prefix($0) }
        for index in stride(from: 8, to: files[1].count, by: 3) {
            var file = files[1]
            file[index] ^= 4
            damaged.append(file)
        }
        for file in damaged {
            try file.write(to: url)

            #expect {
                try LogStore.open(request)
            } throws: {
                guard case StoreError.corrupt = $0 else { return false }
                return true
            }
        }
    }

    @Test func `an open store reads what another handle appends, and no record twice`() throws {
        let (one, two) = (try LogStore.open(request), try LogStore.open(request))

        _ = try save([1], in: one)
        _ = try save([2], in: two)
        _ = try save([3], in: one)

        #expect(try numbers(in: one) == [1, 2, 3])
        #expect(try numbers(in: two) == [1, 2, 3])
    }
}
