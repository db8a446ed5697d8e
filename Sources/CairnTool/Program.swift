import ArgumentParser
import Foundation

/// Runs the command and turns its outcome into the exit codes that the help promises.
@main enum Program {
    static func main() {
        // After a signal, links that were made for the paths would stay. A full quota is an error to
        // report, and a reader that goes away ends the command by ``ToolFailure/readerIsGone``.
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
