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
    private struct Report: Encodable {
        struct EntityReport: Encodable {
            let count: Int
            let versionHash: String?
        }

        let type: String
        let identifier: String
        let entities: [String: EntityReport]
    }

    func run() throws {
        let store = try ToolStore(arguments)
        let counts = try store.entityCounts()
        let hashes = store.metadata.entityVersionHashes
        if json {
            var entities: [String: Report.EntityReport] = [:]
            for (name, count) in counts {
                entities[name] = Report.EntityReport(
                    count: count, versionHash: hashes[name]?.description)
            }
            let report = Report(
                type: store.metadata.type.rawValue, identifier: store.metadata.identifier,
                entities: entities)
            try Output.write(JSONEncoder.forTool(pretty: true).encode(report))
            try Output.line("")
        } else {
            try Output.line("type        \(store.metadata.type)")
            try Output.line("identifier  \(store.metadata.identifier)")
            if let version = store.metadata.frameworkVersion {
                try Output.line("framework   \(version)")
            }
            let rows = counts.sorted { $0.key < $1.key }.map { name, count in
                [name, "\(count)", hashes[name].map { $0.description.prefix(12) + "…" } ?? ""]
            }
            try Output.line("")
            try Output.line(
                TextGrid(headings: ["entity", "count", "version hash"], rightAligned: [1])
                    .text(of: rows))
        }
    }
}
