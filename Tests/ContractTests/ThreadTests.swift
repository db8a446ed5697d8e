import CairnModel
import CairnStore
import Foundation
import Synchronization
import Testing

@Suite(.onEveryEngine) struct `Threads` {
    @Test func `that save wait for each other as long as the option says`() throws {
        let subject = try StoreUnderTest(options: [.timeout: 0.05])
        let save = try subject.store.beginSave()
        defer { save.rollback() }

        #expect(throws: StoreError.self) {
            do {
                _ = try subject.store.beginSave()
            } catch StoreError.busy(_, let waited) {
                #expect(waited == .seconds(0.05))
                throw StoreError.busy(subject.store.request.location, waited: waited)
            }
        }
        #expect(try subject.store.snapshot().generation.rawValue > 0)
    }

    @Test func `that save at once lose nothing and read whole saves`() throws {
        let subject = try StoreUnderTest(options: [.timeout: 60])
        let savers = 4
        let savesEach = 100
        let failures = Mutex<[String]>([])
        let isDone = Atomic(false)
        let readers = DispatchGroup()
        DispatchQueue.global().async(group: readers) {
            while !isDone.load(ordering: .relaxed) {
                let rows = (try? subject.rows("Album")) ?? []
                if rows.count % 2 != 0 {
                    failures.withLock { $0.append("a reader saw half of a save") }
                }
            }
        }

        DispatchQueue.concurrentPerform(iterations: savers) { _ in
            for _ in 0..<savesEach {
                do {
                    try Self.saveTwoAlbums(subject)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        isDone.store(true, ordering: .relaxed)
        readers.wait()

        #expect(failures.withLock { $0 } == [])
        #expect(try subject.rows("Album").map(\.key) == (1...800).map(Int64.init))
    }

    private static func saveTwoAlbums(_ subject: StoreUnderTest) throws {
        let save = try subject.store.beginSave()
        let number = try subject.entity("Album").number
        let keys = try #require(try save.reserveKeys([number: 2])[number])
        let rows = try keys.map { try subject.row("Album", $0, ["name": .string("Album \($0)")]) }
        try save.prepare(SaveRequest(inserted: RowBatch(rows)))
        _ = try save.commit()
    }
}
