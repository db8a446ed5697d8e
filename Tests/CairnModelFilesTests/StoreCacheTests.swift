import CairnModel
import CairnModelArchive
import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// The models contained in stores, extracted with the `sqlite3` program.
@Suite(.enabled(if: Corpus.isThere && StoreCache.canRead)) struct `Models inside stores` {
    @Test func `have the recorded hashes and can be written again`() throws {
        var comparedCount = 0
        var storeCount = 0
        for (store, expected) in Corpus.stores.sorted(by: { $0.key < $1.key }) {
            guard let cache = try StoreCache.content(of: store) else {
                #expect((expected.framework ?? 0) < 637, "\(store) keeps no model")
                continue
            }
            let model = try ManagedObjectModel(ModelCache.decode(cache))
            // A store that was never saved properly records no hashes.
            guard !expected.hashes.isEmpty else { continue }
            #expect(Set(model.entities.map(\.name)) == Set(expected.hashes.keys), "\(store)")
            for entity in model.entities where entity.isVersionHashExact {
                #expect(
                    entity.versionHash.description == expected.hashes[entity.name],
                    "\(store) \(entity.name)")
                comparedCount += 1
            }
            let again = try ManagedObjectModel(ModelCache.decode(ModelCache.encode(model)))
            #expect(again.description == model.description, "\(store)")
            storeCount += 1
        }

        // As many as there were when the test was written. More may have been added.
        #expect(storeCount >= 28)
        #expect(comparedCount >= 314)
    }
}

/// Reads `Z_MODELCACHE` from copies of the corpus' stores.
enum StoreCache {
    private static let program = "/usr/bin/sqlite3"

    /// Whether the `sqlite3` program is installed. Prints a message once if it is not.
    static let canRead: Bool = {
        let isThere = FileManager.default.isExecutableFile(atPath: program)
        if !isThere { print("No \(program): the models inside stores are not tested here.") }
        return isThere
    }()

    /// Returns the stored content, or `nil` if the store contains no model.
    static func content(of store: String) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let copy = try Corpus.copy(store, into: folder.url)
        let process = try ChildProcess(
            program, [copy.path, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE LIMIT 1"],
            errorOutput: .nowhere)
        let hex = try process.output()
        let digits = hex.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard !digits.isEmpty else { return nil }
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
