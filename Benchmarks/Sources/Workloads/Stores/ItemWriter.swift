import Baselines
import BenchmarkRows
import Cairn
import Foundation

#if POSTGRESQL
import CairnPostgreSQL
#endif

/// A baseline that changes the items of a store. Each call is one transaction with the same durability as the
/// engine's.
protocol ItemWriter {
    /// Inserts items with the next free keys.
    ///
    /// - Throws: ``BaselineFailure``, like all functions of this protocol.
    func insert(_ items: UnsafeBufferPointer<bl_item>) throws
    /// Sets the price and title of items that have the expected version.
    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws
    /// Deletes items that have the expected version, and the first `folders` folders.
    func delete(_ keys: [Int64], version: Int64, folders: Int) throws
    /// Reads all items once, as a program that changes objects has done.
    func warm() throws
}

extension ItemWriter {
    /// Does nothing, for baselines that have all items in memory.
    func warm() throws {}
}

extension SQLiteBaseline: ItemWriter {
    func warm() throws { _ = try scan() }
}

extension LMDBBaseline: ItemWriter {
    func warm() throws { _ = try scan() }
}

extension MemoryBaseline: ItemWriter {}

extension Setting {
    /// Passes a new store with the engine's C library to the body, which changes it. The checksum is that of
    /// the store's content, which is read back.
    func changingC(
        _ contents: StoreTemplates.Contents, _ body: (any ItemWriter) throws -> Sample
    ) throws -> Sample {
        switch engine {
        case .sqlite: return try changingSQLite(contents, body)
        case .lmdb: return try changingLMDB(contents, body)
        case .binary, .xml: return try writingFile(contents, body)
        #if POSTGRESQL
        case PostgreSQLStore.type: return try changingPostgreSQL(contents, body)
        #endif
        default:
            let memory = shelf.newMemoryBaseline(contents, size: size)
            var sample = try body(memory)
            sample.checksum = memory.proof
            return sample
        }
    }

    private func changingSQLite(
        _ contents: StoreTemplates.Contents, _ body: (any ItemWriter) throws -> Sample
    ) throws -> Sample {
        let copy = try shelf.fresh(copying: try shelf.store(engine, contents, size: size))
        defer { shelf.discard(copy) }
        var sample = try withBaseline(at: copy, body)
        sample.checksum = try SQLiteBaseline.prove(copy)
        sample.fileBytes = shelf.byteCount(of: copy)
        return sample
    }

    /// Closes the baseline before it returns.
    private func withBaseline(
        at url: URL, _ body: (any ItemWriter) throws -> Sample
    ) throws -> Sample {
        try body(try SQLiteBaseline(url, writable: true))
    }

    private func changingLMDB(
        _ contents: StoreTemplates.Contents, _ body: (any ItemWriter) throws -> Sample
    ) throws -> Sample {
        let copy = try shelf.fresh(copying: try shelf.store(engine, contents, size: size))
        defer { shelf.discard(copy) }
        let baseline = try LMDBBaseline(copy, writable: true)
        var sample = try body(baseline)
        baseline.close()
        sample.checksum = try shelf.checksum(of: copy, engine)
        sample.fileBytes = shelf.byteCount(of: copy)
        return sample
    }

    private func writingFile(
        _ contents: StoreTemplates.Contents, _ body: (any ItemWriter) throws -> Sample
    ) throws -> Sample {
        let file = try shelf.fresh()
        defer { shelf.discard(file) }
        var sample = try body(
            engine == .xml
                ? try XMLBaseline(self, contents, at: file)
                : try BinaryWriter(self, contents, at: file))
        sample.checksum = try shelf.checksum(of: file, engine)
        sample.fileBytes = shelf.byteCount(of: file)
        return sample
    }
}
