import ArgumentParser
import Cairn
import Foundation

/// The `cairn store info` command, which shows a store's metadata and entities.
struct StoreInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows a store's type, identifier and entities.",
        discussion: """
            Also works while a save over several stores is pending. In that case, the stores of the \
            save are shown, but the save is not finished.
            """)

    @OptionGroup var arguments: StoresArguments

    @Flag(help: "Print the stable JSON form.")
    var json = false

    func run() throws {
        let stores = try ToolStores(arguments)
        let reports = try stores.members.map { try StoreReport($0) }
        if json {
            let encoder = JSONEncoder.forTool(pretty: true)
            let data =
                stores.only == nil
                ? try encoder.encode(StoreGroupReport(reports)) : try encoder.encode(reports[0])
            try Output.write(data)
            try Output.line("")
        } else if stores.only == nil {
            try printText(of: StoreGroupReport(reports))
        } else {
            try printText(of: reports[0])
        }
    }

    private func printText(of report: StoreReport) throws(ToolFailure) {
        for line in report.lines { try Output.line(line) }
        let rows = report.entities.sorted { $0.key < $1.key }.map { name, entity in
            [
                name, entity.count.map(String.init) ?? "",
                entity.versionHash.map(Self.shortened) ?? "",
            ]
        }
        try Output.line("")
        try Output.line(
            TextGrid(headings: ["entity", "count", "version hash"], rightAligned: [1])
                .text(of: rows))
    }

    /// Prints each store under its number, followed by one table of entities with a column for each store.
    private func printText(of group: StoreGroupReport) throws(ToolFailure) {
        for (index, report) in group.stores.enumerated() {
            try Output.line("store       \(index + 1): \(report.location)")
            for line in report.lines { try Output.line(line) }
            try Output.line("")
        }
        let numbers = group.stores.indices.map { "\($0 + 1)" }
        let rows = group.entities.sorted { $0.key < $1.key }.map { name, entity in
            [name, entity.count.map(String.init) ?? ""]
                + group.stores.map { $0.entities[name]?.count.map(String.init) ?? "" }
                + [entity.versionHash.map(Self.shortened) ?? "differs"]
        }
        try Output.line(
            TextGrid(
                headings: ["entity", "count"] + numbers + ["version hash"],
                rightAligned: Set(1...(numbers.count + 1))
            ).text(of: rows))
    }

    private static func shortened(_ hash: String) -> String { hash.prefix(12) + "…" }
}
