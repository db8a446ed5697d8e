import ArgumentParser
import Foundation

/// Runs the command and turns its outcome into the exit codes that the help promises.
@main enum Program {
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
