import CairnTool

#if POSTGRESQL
import Cairn
import CairnPostgreSQL

PersistentStoreCoordinator.registerStoreClass(PostgreSQLStore.self)
#endif

// The code is in a library, so that tests can import it.
Program.main()
