import CairnModel
import CairnModelArchive
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite(.enabled(if: Corpus.isThere)) struct `Models of the corpus` {
    @Test func `include source models, which all load`() throws {
        #expect(Corpus.sources.count >= 141)
        var emptyCount = 0

        for file in Corpus.sources {
            let model = try ManagedObjectModel(contentsOf: file.deletingLastPathComponent())
            emptyCount += model.entities.isEmpty ? 1 : 0
        }

        #expect(emptyCount >= 1)
    }

    @Test func `have only default values and bounds that can be read`() throws {
        for file in Corpus.sources + Corpus.elements {
            let warnings = try ModelLinter(ManagedObjectModel(contentsOf: file)).warnings()
            let unreadable = warnings.filter { $0.kind == .unreadableValue }
            #expect(unreadable == [], "\(file.path)")
        }
    }

    @Test func `include compiled models, which all load`() throws {
        // As many as there were when the test was written. More may have been added.
        #expect(Corpus.compiled.count >= 14)

        for file in Corpus.compiled {
            let model = try ManagedObjectModel(contentsOf: file)
            #expect(!model.entities.isEmpty, "\(file.path)")
        }
    }

    @Test func `include models of Xcode 3, which load`() throws {
        #expect(Corpus.elements.count == 6)

        for file in Corpus.elements {
            let model = try ManagedObjectModel(contentsOf: file.deletingLastPathComponent())
            let archive = try ManagedObjectModel(contentsOf: file)
            #expect(!model.entities.isEmpty, "\(file.path)")
            #expect(archive.description == model.description)
        }
    }

    @Test func `have the hashes that their bundles record`() throws {
        var comparedCount = 0
        for bundle in Corpus.compiledBundles {
            let versions = try ModelVersions(contentsOf: bundle)
            for name in versions.names {
                let recorded = versions.recordedHashes[name] ?? [:]
                // The description is compiled without the recorded hashes, so all hashes are computed.
                let model = try ManagedObjectModel(versions.description(of: name))
                #expect(Set(recorded.keys) == Set(model.entities.map(\.name)))
                for entity in model.entities where entity.isVersionHashExact {
                    #expect(entity.versionHash == recorded[entity.name], "\(name) \(entity.name)")
                    comparedCount += 1
                }
            }
        }

        #expect(comparedCount >= 166)
    }

    @Test func `have the hashes of each store in the corpus`() throws {
        var known: [String: Set<VersionHash>] = [:]
        var inexact = Set<String>()
        for file in Corpus.models + Corpus.elements {
            for entity in try ManagedObjectModel(contentsOf: file).entities {
                known[entity.name, default: []].insert(entity.versionHash)
                if !entity.isVersionHashExact { inexact.insert(entity.name) }
            }
        }

        var matchedCount = 0
        var missing: [String] = []
        for (store, expected) in Corpus.stores where store.hasPrefix("corpus/") {
            for (entity, hash) in expected.hashes where !inexact.contains(entity) {
                let isKnown = known[entity]?.contains { $0.description == hash } ?? false
                if isKnown { matchedCount += 1 } else { missing.append("\(store) \(entity)") }
            }
        }

        // The models of these stores exist only in code (CoreDataPlus).
        let withoutModelFile = ["SampleModel2_V"]
        missing.removeAll { line in withoutModelFile.contains { line.contains($0) } }
        #expect(missing == [])
        #expect(matchedCount == 135)
    }

    @Test(arguments: [
        (
            "SwiftGen__SwiftGen/SwiftGen.playground/Resources/Model.momd/Model 2.mom",
            "SwiftGen__SwiftGen/Sources/TestUtils/Fixtures/Resources/CoreData/Model.xcdatamodeld/"
                + "Model 2.xcdatamodel"
        ),
        (
            "alemar11__CoreDataPlus/Tests/Resources/SampleModel/Fixtures/SampleModel.momd/"
                + "SampleModel3.mom",
            "alemar11__CoreDataPlus/Tests/Resources/SampleModel/SampleModel.xcdatamodeld/"
                + "SampleModel3.xcdatamodel"
        ),
    ]) func `equal the models compiled from them`(
        compiled: String, source: String
    ) throws {
        let compiled = try ManagedObjectModel(contentsOf: Corpus.root.appending(path: compiled))
        let source = try ManagedObjectModel(contentsOf: Corpus.root.appending(path: source))

        #expect(Self.compiledForm(compiled.description) == Self.compiledForm(source.description))
    }

    /// Returns the description without properties that compiling removes or adds: the scalar flag, and the
    /// old index flag, which Core Data's compiler sets from fetch indexes.
    private static func compiledForm(_ description: ModelDescription) -> ModelDescription {
        var description = description
        for entity in description.entities.indices {
            description.entities[entity].properties = description.entities[entity].properties.map {
                guard case .attribute(var attribute) = $0 else { return $0 }
                attribute.usesScalarValueType = false
                attribute.isIndexed = false
                return .attribute(attribute)
            }
        }
        return description
    }

    @Test func `are preserved in an archive`() throws {
        for file in Corpus.models {
            let model = try ManagedObjectModel(contentsOf: file)

            let archived = try ManagedObjectModel(ModelArchive.decode(ModelArchive.encode(model)))
            let cached = try ManagedObjectModel(ModelCache.decode(ModelCache.encode(model)))

            #expect(archived.description == model.description, "\(file.path)")
            #expect(cached.description == model.description, "\(file.path)")
        }
    }
}
