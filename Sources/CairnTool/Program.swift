import ArgumentParser
import Foundation

/// The `cairn` command as a program. It exits with the codes that the help promises.
package enum Program {
    /// Runs the command with the arguments of the process, and exits.
    package static func main() -> Never {
        // Ignore these signals, because they would end the process without removing the links of path
        // aliases. A full quota is reported as an error. A missing reader ends the command through
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
