import ArgumentParser
import Cairn
import Foundation

/// The `cairn store dump` command, which prints every object as a line of JSON.
struct StoreDumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Prints every object as a line of JSON, in the same way for every engine.",
        discussion: """
            The objects are sorted by root entity and key. Values that are nil and empty \
            relationships are left out. Dates are in ISO 8601, bytes in base 64, and objects in the \
            form Entity/key. With several stores, each line contains the number of its store on the \
            command line, so that dumps of the same stores in other engines are equal.
            """)

    @OptionGroup var arguments: StoresArguments

    @OptionGroup var missingData: MissingDataOption

    @OptionGroup var dates: DateOption

    func run() throws {
        let tool = try ToolStores(arguments)
        try tool.withOpenStores { stores in
            try tool.withSnapshots(of: stores) { snapshots in
                try write(
                    StoreDump(
                        snapshots: snapshots, layouts: stores[0].request.layouts,
                        dates: dates.form))
            }
        }
    }

    private func write(_ dump: StoreDump) throws {
        var pending = Data()
        var missing = MissingDataReport()
        try dump.write(noting: &missing) { line in
            pending.append(line)
            // Write many lines with one system call.
            if pending.count > 1 << 16 {
                try Output.write(pending)
                pending.removeAll(keepingCapacity: true)
            }
        }
        try Output.write(pending)
        try missing.finish(missingData)
    }
}
