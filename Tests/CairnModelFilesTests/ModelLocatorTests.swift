import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Finding models` {
    @Test func `reports where it searched`() {
        let folders = [URL(fileURLWithPath: "/nowhere/a"), URL(fileURLWithPath: "/nowhere/b")]

        #expect(throws: ModelError.notFound("Library", searched: folders)) {
            try ModelLocator(folders: folders).model(named: "Library")
        }
    }

    @Test(.enabled(if: Corpus.isThere)) func `finds a model by name in any form`() throws {
        let folder = Corpus.root.appendingPathComponent(
            "SwiftGen__SwiftGen/SwiftGen.playground/Resources")

        let model = try ModelLocator(folders: [folder]).model(named: "Model")

        #expect(model.entity(named: "MainEntity") != nil)
    }

    @Test(.enabled(if: Corpus.isThere)) func `finds the version that a store was written with`()
        throws
    {
        let expected = Corpus.stores
        let folder = Corpus.root.appendingPathComponent("richardpiazza__XCServerCoreData/Resources")
        let locator = ModelLocator(folders: [folder])

        var found = 0
        for (store, record) in expected where store.hasPrefix("corpus/richardpiazza") {
            let recorded = try record.hashes.mapValues { try VersionHash(hexadecimal: $0) }
            let model = try locator.mergedModel(forStoreMetadata: recorded)
            #expect(model?.entityVersionHashes == recorded, "\(store)")
            found += 1
        }
        #expect(found == 4)
    }

    @Test(.enabled(if: Corpus.isThere)) func `names every entity that differs, with both hashes`()
        throws
    {
        let bundle = Corpus.root.appendingPathComponent(
            "richardpiazza__XCServerCoreData/Resources/XCServerCoreData.xcdatamodeld")
        let versions = try ModelVersions(contentsOf: bundle)
        let old = try versions.model(named: "XCServerCoreData1.2.0")
        let new = try versions.currentModel()

        let differences = try new.differences(from: old.entityVersionHashes)

        #expect(!differences.isEmpty)
        #expect(try !new.isConfiguration(nil, compatibleWith: old.entityVersionHashes))
        for difference in differences {
            #expect(difference.stored == old.entity(named: difference.entity)?.versionHash)
            #expect(difference.model == new.entity(named: difference.entity)?.versionHash)
        }
    }

    @Test(.enabled(if: Corpus.isThere))
    func `treats an entity with a derived attribute as the same`() throws {
        let bundle = Corpus.root.appendingPathComponent(
            "SwiftGen__SwiftGen/SwiftGen.playground/Resources/Model.momd")
        let versions = try ModelVersions(contentsOf: bundle)
        let recorded = try #require(versions.recordedHashes["Model 2"])
        let source = Corpus.root.appendingPathComponent(
            "SwiftGen__SwiftGen/Sources/TestUtils/Fixtures/Resources/CoreData/Model.xcdatamodeld")

        let model = try ModelVersions(contentsOf: source).model(named: "Model 2")

        #expect(model.entity(named: "ChildEntity")?.isVersionHashExact == false)
        #expect(try model.differences(from: recorded) == [])
        #expect(try ManagedObjectModel(contentsOf: bundle).entityVersionHashes == recorded)
    }
}

extension VersionHash {
    struct NotHexadecimal: Error {}

    fileprivate init(hexadecimal text: String) throws {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 64 else { throw NotHexadecimal() }
        self.init(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
