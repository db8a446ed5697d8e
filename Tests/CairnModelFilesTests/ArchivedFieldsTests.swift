import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@testable import CairnModelArchive

/// The `.mom` files that Cairn writes, compared field by field with those that Core Data's tools wrote.
@Suite(.enabled(if: Corpus.isThere)) struct `Archived fields` {
    /// Fields that may differ, by class and key, each with the reason for the difference.
    private static let exceptions: [String: String] = [
        "NSManagedObjectModel.CDMCompilerToolVersion":
            "names Core Data's compiler, which we are not",
        "NSManagedObjectModel.CDMCompilerXcodeVersion": "names the Xcode of that compiler",
        "NSDecimalNumberPlaceholder.NS.exponent": "a default written as 0.0 keeps its digits",
    ]

    /// Fields that Core Data's compiler derives from indexes when it compiles a source model.
    private static let compilerExceptions: [String: String] = [
        "NSEntityDescription.NSCompoundIndexes":
            "repeats the fetch indexes for systems before 2017",
        "NSAttributeDescription.NSIsIndexed": "repeats the fetch indexes for systems before 2017",
        "NSEntityDescription.NSFetchIndexDescriptions": "repeats the index flags of attributes",
    ]

    @Test func `are the same when a compiled model is written again`() throws {
        for file in Corpus.compiled {
            let original = try KeyedArchive(Array(Data(contentsOf: file)))
            let model = try ManagedObjectModel(contentsOf: file)

            let written = try KeyedArchive(ModelArchive.encode(model))
            var comparison = ArchiveComparison(exceptions: Set(Self.exceptions.keys))
            try comparison.compare(original.root(), written.root(), at: "model")

            #expect(comparison.differences.prefix(10) == [], "\(file.path)")
            #expect(comparison.comparedCount > 30)
        }
    }

    @Test func `are the same when a source model is compiled`() throws {
        var count = 0
        for (compiled, source) in Self.pairs {
            let original = try KeyedArchive(Array(Data(contentsOf: compiled)))
            let model = try ManagedObjectModel(contentsOf: source)

            let written = try KeyedArchive(ModelArchive.encode(model))
            var comparison = ArchiveComparison(
                exceptions: Set(Self.exceptions.keys).union(Self.compilerExceptions.keys))
            try comparison.compare(original.root(), written.root(), at: "model")

            #expect(comparison.differences.prefix(10) == [], "\(source.path)")
            count += 1
        }

        #expect(count == 14)
    }

    @Test func `that are planted are detected`() throws {
        let file = try #require(Corpus.compiled.first)
        let model = try ManagedObjectModel(contentsOf: file)
        var other = model.description
        other.entities[0].userInfo["planted"] = "yes"
        other.entities[0].properties.append(.attribute("planted", .string))

        let written = try KeyedArchive(ModelArchive.encode(ManagedObjectModel(other)))
        var comparison = ArchiveComparison(exceptions: Set(Self.exceptions.keys))
        try comparison.compare(
            KeyedArchive(Array(Data(contentsOf: file))).root(), written.root(), at: "model")

        #expect(comparison.differences.contains { $0.contains("NSUserInfo") })
        #expect(comparison.differences.contains { $0.contains("NSProperties") })
    }

    /// The compiled models of the corpus whose source is also in the corpus.
    private static let pairs: [(compiled: URL, source: URL)] = Corpus.compiled.compactMap { file in
        let name = file.deletingPathExtension().lastPathComponent + ".xcdatamodel"
        let repository = file.path.split(separator: "/").drop { $0 != "corpus" }.dropFirst().first
        let bundle = file.deletingLastPathComponent().deletingPathExtension().lastPathComponent
        let source = Corpus.sources.map { $0.deletingLastPathComponent() }.first {
            $0.lastPathComponent == name && $0.path.contains("/\(repository ?? "")/")
                && $0.deletingLastPathComponent().lastPathComponent == bundle + ".xcdatamodeld"
        }
        return source.map { (file, $0) }
    }
}
