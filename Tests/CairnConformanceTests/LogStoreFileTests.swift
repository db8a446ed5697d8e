import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import LogStore
import Testing

/// How a log behaves after its last save was interrupted, and after its file was damaged.
@Suite struct `The file of a log store` {
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

    /// Saves a note for each number in a separate save. Returns the file's content after each save.
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

    /// Returns the file as it is if a save wrote a part of its record but not the new head.
    private func interrupted(_ files: [Data], after count: Int) -> Data {
        files[0].prefix(32) + files[1].dropFirst(32).prefix(count - 32)
    }

    @Test func `does not count a torn last record as a save, and the next save removes it`() throws
    {
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

    /// If bytes of a long torn record remained after a shorter new record, they could later be mistaken for a
    /// record.
    @Test func `contains nothing of a torn record after a shorter one replaces it`() throws {
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

    @Test func `counts a complete last record that its head does not include`() throws {
        let store = try LogStore.open(request)
        let files = try save([1, 2], in: store)
        store.close()
        try interrupted(files, after: files[1].count).write(to: url)

        let again = try LogStore.open(request)
        let found = try numbers(in: again)

        #expect(found == [1, 2])
        again.close()
    }

    @Test func `is refused if it is cut short or damaged before its end`() throws {
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

    @Test func `can be appended to by another handle, and no record is read twice`() throws {
        let (one, two) = (try LogStore.open(request), try LogStore.open(request))

        _ = try save([1], in: one)
        _ = try save([2], in: two)
        _ = try save([3], in: one)

        #expect(try numbers(in: one) == [1, 2, 3])
        #expect(try numbers(in: two) == [1, 2, 3])
    }
}
