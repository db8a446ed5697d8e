import CairnModel
import CairnModelArchive
import Foundation

/// The name of a mapping model in a file, and the versions that it maps from and to.
///
/// Compiled mapping models (`.cdm`) contain the hashes of the entities that they map, and source files
/// (`.xcmappingmodel`) contain the paths of both versions. docs/formats/model-archive.md lists the keys.
struct MappingModelFile {
    /// A reference to a version in the file.
    private enum VersionReference {
        case hashes([String: VersionHash])
        case name(String)
    }

    private let name: String
    private let source: VersionReference
    private let destination: VersionReference

    /// The file extensions of mapping models.
    static let extensions = ["cdm", "xcmappingmodel"]

    /// Reads a mapping model.
    init(contentsOf location: URL) throws(ModelError) {
        name = location.deletingPathExtension().lastPathComponent
        if location.pathExtension == "cdm" {
            (source, destination) = try Self.compiled(location)
        } else {
            (source, destination) = try Self.source(location)
        }
    }

    /// Returns the mapping model with the hashes of both versions. Returns `nil` if it refers to a version
    /// by a name that is not in `versions`.
    func mapping(among versions: [String: ManagedObjectModel]) -> ModelHistory.Mapping? {
        func hashes(_ reference: VersionReference) -> [String: VersionHash]? {
            switch reference {
            case .hashes(let hashes): hashes
            case .name(let name): versions[name]?.entityVersionHashes
            }
        }
        guard let old = hashes(source), let new = hashes(destination) else { return nil }
        return ModelHistory.Mapping(name: name, sourceHashes: old, destinationHashes: new)
    }

    // MARK: Compiled

    private static func compiled(
        _ location: URL
    ) throws(ModelError) -> (VersionReference, VersionReference) {
        let bytes = try ModelFile.bytes(location)
        do {
            var (old, new): ([String: VersionHash], [String: VersionHash]) = ([:], [:])
            let root = try KeyedArchive(bytes).root().object
            for case .object(let mapping) in try root?.elements("NSEntityMappings") ?? [] {
                try add(mapping, "NSSourceEntity", to: &old)
                try add(mapping, "NSDestinationEntity", to: &new)
            }
            return (.hashes(old), .hashes(new))
        } catch {
            throw .unreadable(file: location, location: "the archive", detail: "\(error)")
        }
    }

    private static func add(
        _ mapping: ArchivedObject, _ side: String, to hashes: inout [String: VersionHash]
    ) throws(ModelArchiveError) {
        guard let name = try mapping.string(side + "Name"),
            case .data(let hash) = try mapping.value(side + "VersionHash")
        else { return }
        hashes[name] = VersionHash(Array(hash))
    }

    // MARK: Source

    /// Reads a source file, which is an XML store of Core Data. Only two strings in it are needed.
    private static func source(
        _ location: URL
    ) throws(ModelError) -> (VersionReference, VersionReference) {
        let file = location.appendingPathComponent("xcmapping.xml")
        let text = String(decoding: try ModelFile.bytes(file), as: UTF8.self)
        func version(_ attribute: String) throws(ModelError) -> VersionReference {
            let mark = "<attribute name=\"\(attribute)\" type=\"string\">"
            guard let start = text.range(of: mark)?.upperBound,
                let end = text[start...].firstIndex(of: "<")
            else {
                throw .unreadable(
                    file: file, location: attribute, detail: "the mapping model does not contain it"
                )
            }
            let path = unescaped(text[start..<end])
            let last = path.split(separator: "/").last.map(String.init) ?? path
            return .name((last as NSString).deletingPathExtension)
        }
        return (try version("sourcemodelpath"), try version("destinationmodelpath"))
    }

    private static func unescaped(_ text: Substring) -> String {
        var text = String(text)
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
        ]
        for (entity, character) in entities {
            text = text.replacingOccurrences(of: entity, with: character)
        }
        return text
    }
}
