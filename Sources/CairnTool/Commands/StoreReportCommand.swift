import ArgumentParser
import Cairn
import CairnFiles
import Foundation

/// The `cairn store report` command, which writes a page about a store.
struct StoreReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes a page about a store: model, counts, sizes, check and samples.",
        discussion: """
            The page is one HTML file that loads no other files and runs no scripts. It also shows the \
            result of “cairn store verify”. The command succeeds even if the store has problems or is \
            damaged.
            Example: cairn store report Trails.sqlite --html Trails.html
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(
        help: "The file to write. An earlier report is replaced, but never any other file.",
        completion: .file(extensions: ["html"]), transform: PathArgument.init(argument:))
    var html: PathArgument

    @Option(help: "How many objects of each entity the page shows, from 0 to 100.")
    var sample = 5

    func validate() throws {
        guard (0...100).contains(sample) else {
            throw ValidationError("--sample must be a number from 0 to 100.")
        }
    }

    func run() throws {
        let url = try html.urlOfNewFile()
        let file = DurableFile(url)
        try requireReplaceable(url)
        let survey = StoreSurvey(try ToolStore(arguments), sampleCount: sample)
        let page = StorePage(survey, date: Date())
        do {
            try file.write(Array(page.html.markup.utf8))
        } catch {
            throw StoreError.fileFailure(error)
        }
        try Output.line("wrote \(html.shown): \(page.summary)")
    }

    /// - Throws: ``ToolFailure`` if there is something other than an earlier report at the path.
    private func requireReplaceable(_ url: URL) throws {
        guard (try? FileManager.default.attributesOfItem(atPath: url.path)) != nil else { return }
        // Do not open a named pipe, because that would wait for a writer.
        if case .regularFile? = try? FileNature(of: url.path),
            let file = try? FileHandle(forReadingFrom: url),
            let beginning = try? file.read(upToCount: 1024),
            StorePage.isPage(beginningWith: beginning)
        {
            return
        }
        throw ToolFailure(
            "\(html.shown) exists and is not a report of cairn, so it was not changed. Choose another"
                + " name, or remove the file.")
    }
}
