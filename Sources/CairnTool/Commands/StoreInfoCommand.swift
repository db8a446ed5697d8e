import ArgumentParser
import Cairn
import Foundation

/// `cairn store info`: what a store says of itself.
struct StoreInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows a store's type, identifier and entities.")

    @OptionGroup var arguments: StoreArguments

    @Flag(help: "Print the stable JSON form.")
    var json = false

    /// The stable JSON form: architecture.md, "The command-line tool".
    ///
    /// Entities are named as the store records them. After a migration that renamed one, counts
    /// stand under the old name and hashes under the new: each is absent if there is none.
    private struct Report: Encodable {
        struct EntityReport: Encodable {
            var count: Int?
            var versionHash: String?
        }

        let type: String
        let identifier: String
        let entities: [String: EntityReport]

        init(_ metadata: StoreMetadata, counts: [String: Int]) {
            type = metadata.type.rawValue
            identifier = metadata.identifier
            var entities: [String: EntityReport] = [:]
            for (name, count) in counts { entities[name, default: EntityReport()].count = count }
            for (name, hash) in metadata.entityVersionHashes {
                entities[name, default: EntityReport()].versionHash = hash.description
            }
            self.entities = entities
        }
    }

    func run() throws {
        let store = try ToolStore(arguments)
        let report = Report(store.metadata, counts: try store.entityCounts())
        if json {
            try Output.write(JSONEncoder.forTool(pretty: true).encode(report))
            try Output.line("")
        } else {
            try printText(
                report, frameworkVersion: store.metadata.frameworkVersion,
                byteCount: try store.byteCount())
        }
    }

    private func printText(
        _ report: Report, frameworkVersion: Int?, byteCount: Int?
    ) throws(ToolFailure) {
        try Output.line("type        \(report.type)")
        try Output.line("identifier  \(report.identifier)")
        if let frameworkVersion { try Output.line("framework   \(frameworkVersion)") }
        if let byteCount {
            try Output.line("size        \(Self.text(ofByteCount: byteCount))")
        }
        let rows = report.entities.sorted { $0.key < $1.key }.map { name, entity in
            [
                name, entity.count.map(String.init) ?? "",
                entity.versionHash.map { $0.prefix(12) + "…" } ?? "",
            ]
        }
        try Output.line("")
        try Output.line(
            TextGrid(headings: ["entity", "count", "version hash"], rightAligned: [1])
                .text(of: rows))
    }

    private static func text(ofByteCount count: Int) -> String {
        let style = ByteCountFormatStyle(style: .file, locale: Locale(identifier: "en_US_POSIX"))
        return "\(style.format(Int64(count))) (\(count) bytes)"
    }
}
