import ArgumentParser
import Foundation

/// Runs the command, and exits with one of the exit codes that the help documents.
@main enum Program {
    static func main() {
        // Ignore these signals. Otherwise, the temporary links for paths would not be removed. An exceeded
        // file size limit is reported as an error, and a closed pipe ends the command with
        // ``ToolFailure/readerIsGone``.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let code = run()
        PathAlias.removeLinks()
        exit(code)
    }

    private static func run() -> Int32 {
        let arguments = ArgumentBytes.ofProcess
        if let misspelt = MisspeltCommand(in: arguments, of: CairnTool.self) {
            Output.error("\(misspelt)")
            return 2
        }
        do {
            var command = try CairnTool.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let failure as ToolFailure {
            if !failure.description.isEmpty { Output.error("cairn: \(failure)") }
            return failure.exitCode
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
