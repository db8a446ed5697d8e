import Cairn
import CairnModel
import CairnTestSupport
import Foundation
import Testing

/// Real stores with transformable attributes, whose values are read by key.
@Suite(.enabled(if: Corpus.isThere)) struct `Real transformable attributes` {
    /// Returns the outcomes of reading the non-`nil` values of each attribute.
    ///
    /// - Parameter transformer: A name that replaces the names of transformers in the model. If `nil`, the
    ///   names in the model are used.
    private func outcomes(
        _ path: String, transformer: String? = nil
    ) throws -> [String: [String: Int]] {
        let folder = try TemporaryFolder()
        let store = try RealStore(path, in: folder)
        let real = try #require(try store.model())
        let model = try transformer.map(real.withTransformers(named:)) ?? real
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: store.url)
        return try ContextHandle(coordinator: coordinator).performAndWait { context throws in
            var outcomes: [String: [String: Int]] = [:]
            for entity in model.entities where !entity.isAbstract {
                let keys = entity.attributes.filter { $0.type == .transformable && !$0.isTransient }
                if keys.isEmpty { continue }
                var request = FetchRequest<ManagedObject>(entity.name)
                request.includesSubentities = false
                for object in try context.fetch(request) {
                    for key in keys.map(\.name) where try !object[key].isNull {
                        outcomes["\(entity.name).\(key)", default: [:]][
                            outcome(object, key), default: 0] += 1
                    }
                }
            }
            return outcomes
        }
    }

    private func outcome(_ object: ManagedObject, _ key: String) -> String {
        do {
            return switch try object.value(forKey: key) {
            case is [String]: "texts"
            case is [String: Any]: "a dictionary"
            case is Data: "data"
            default: "another value"
            }
        } catch GraphError.transformation(let failure) {
            if case .failed(ArchiveError.refusedClass(let name, _)) = failure.reason { return name }
            return "\(failure)"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            (
                "richardpiazza__XCServerCoreData/Tests/XCServerCoreData_1.2.0.sqlite",
                [
                    "CommitContributor.emails": ["texts": 2],
                    "Integration.testHierachy": ["a dictionary": 14],
                ]
            ),
            (
                "alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite",
                [
                    "Book.frontCover": ["data": 2],
                    "GraphicNovel.frontCover": ["data": 1],
                    "Page.content": ["data": 119],
                ]
            ),
            (
                "objcio__core-data/Migrations/MigrationsTests/Moody 5.moody",
                ["Mood.colors": ["data": 4]]
            ),
        ] as [(String, [String: [String: Int]])])
    func `return their values, or the data if the transformer is not registered`(
        _ path: String, _ expected: [String: [String: Int]]
    ) throws {
        #expect(try outcomes("corpus/" + path) == expected)
    }

    @Test func `with classes of the app name them, if they are read as archives of values`() throws
    {
        let path =
            "corpus/alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite"

        let found = try outcomes(path, transformer: "NSSecureUnarchiveFromData")

        #expect(
            found == [
                "Book.frontCover": ["CoreDataPlus_Tests.Cover": 2],
                "GraphicNovel.frontCover": ["CoreDataPlus_Tests.Cover": 1],
                "Page.content": ["Content": 119],
            ])
    }

    @Test func `with a registered transformer return its values`() throws {
        let name: ValueTransformerName = "ColorsOfThisTest"
        let folder = try TemporaryFolder()
        let store = try RealStore(
            "corpus/objcio__core-data/Migrations/MigrationsTests/Moody 4.moody", in: folder)
        let real = try #require(try store.model())
        #expect(
            ValueTransformers.unregistered(in: real).map(\.transformer) == ["ColorsTransformer"])
        // The name is unique because other tests run at the same time. Names of transformers are not part of
        // the hashes.
        let model = try real.withTransformers(named: name.rawValue)
        ValueTransformers.setValueTransformer(ColorsTransformer(), forName: name)
        defer { ValueTransformers.setValueTransformer(nil, forName: name) }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: store.url)

        let counts = try ContextHandle(coordinator: coordinator).performAndWait { context throws in
            try context.fetch(FetchRequest<ManagedObject>("Mood")).map {
                try ($0.value(forKey: "colors") as? [[UInt8]])?.count
            }
        }

        #expect(counts == [8, 8, 8, 8])
    }

    /// Stores three bytes for each color.
    private struct ColorsTransformer: ValueTransformer {
        struct Odd: Error {}

        func data(from value: [[UInt8]]) -> Data { Data(value.joined()) }

        func value(from data: Data) throws -> [[UInt8]] {
            guard data.count % 3 == 0 else { throw Odd() }
            let bytes = Array(data)
            return stride(from: 0, to: bytes.count, by: 3).map { Array(bytes[$0..<$0 + 3]) }
        }
    }
}

extension ManagedObjectModel {
    /// Returns the model with all names of transformers replaced. This changes no hash.
    fileprivate func withTransformers(named name: String) throws -> ManagedObjectModel {
        var description = description
        for entity in description.entities.indices {
            for property in description.entities[entity].properties.indices {
                guard
                    case .attribute(var attribute) =
                        description.entities[entity].properties[property],
                    attribute.valueTransformerName != nil
                else { continue }
                attribute.valueTransformerName = name
                description.entities[entity].properties[property] = .attribute(attribute)
            }
        }
        return try ManagedObjectModel(description, recordedHashes: entityVersionHashes)
    }
}
