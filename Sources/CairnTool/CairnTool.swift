import ArgumentParser
import Foundation

/// The `cairn` command.
struct CairnTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn",
        abstract: "Looks at, checks and shows models and stores of Core Data's kind.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 used wrongly.
            """,
        subcommands: [
            ModelCommand.self, StoreCommand.self, TourCommand.self, ConformCommand.self,
        ])
}

/// `cairn model …`.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Looks at, compares and writes models.",
        subcommands: [
            ModelInfoCommand.self, ModelVersionsCommand.self, ModelDiffCommand.self,
            ModelLintCommand.self, ModelDiagramCommand.self, ModelCompileCommand.self,
            ModelConvertCommand.self,
        ])
}

/// `cairn store …`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Makes, looks at, checks, copies, migrates and recovers stores.",
        subcommands: [
            StoreInfoCommand.self, StoreQueryCommand.self, StoreDumpCommand.self,
            StoreVerifyCommand.self, StoreCopyCommand.self, StoreNewCommand.self,
            StoreMigrateCommand.self, StoreRecoverCommand.self,
        ])
}

/// Runs the command and turns its outcome into the exit codes that the help promises.
@main enum Main {
    static func main() {
        // A reader that goes away, or a full quota, is an error to report, not a signal to die of.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let code = run()
        PathAlias.removeLinks()
        exit(code)
    }

    private static func run() -> Int32 {
        do {
            var command = try CairnTool.parseAsRoot(ArgumentBytes.ofProcess)
            try command.run()
            return 0
        } catch let failure as ToolFailure {
            Output.error("cairn: \(failure)")
            return 1
        } catch {
            return code(reporting: error)
        }
    }

    private static func code(reporting error: any Error) -> Int32 {
        switch CairnTool.exitCode(for: error) {
        case .success:
            print(CairnTool.fullMessage(for: error))
            return 0
        case .validationFailure:
            Output.error(CairnTool.fullMessage(for: error))
            return 2
        default:
            Output.error("cairn: \(ToolFailure(pendingSaveIn: error)?.description ?? "\(error)")")
            return 1
        }
    }
}

/// A failure of the tool itself, in words for the user.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
