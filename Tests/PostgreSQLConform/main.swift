import CairnConformance
import Foundation
import PostgreSQLStoreSupport

exit(ConformanceProgram(PostgreSQLHarness(worker: .thisProgram())).run())
